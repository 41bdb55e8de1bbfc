"""The files of a web package: loader, types, README, page, source map."""
