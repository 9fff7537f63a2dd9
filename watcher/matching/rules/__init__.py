"""One sort of evidence a module: a change and a usage in, reasons in sentences out. Pure."""
