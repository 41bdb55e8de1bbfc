"""What decides between algorithms: nanoseconds for each number, measured in wasmtime on sizes from 100 to 65,536."""

HARDEST = 5  # the largest radix whose butterfly is written out
OF_RADIX = {2: 0.9, 3: 1.7, 4: 1.2, 5: 2.0}  # a stage of each
OF_OTHER = 0.8  # a stage of another radix, for each unit of it
AROUND = 8.0  # the products and tables of a convolution
