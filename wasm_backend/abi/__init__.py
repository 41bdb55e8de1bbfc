"""The contract between `lower`, runtimes and packages: the memory layout of types, and signatures of exports."""
