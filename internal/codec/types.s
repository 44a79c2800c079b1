// This file is empty: it lets types.go declare a function without a body.
