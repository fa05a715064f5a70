// Nothing of its own: the target that it belongs to precompiles the headers that all tests share.
