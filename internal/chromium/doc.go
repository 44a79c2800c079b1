// Package chromium drives a browser for tests of pages, without a dependency: by its
// debugging protocol, over a pair of pipes. Only tests import it.
package chromium
