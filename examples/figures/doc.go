// Figures draws how soon random walks become live, as Figure 4 of the MaceMC paper does:
// the share of walks of systems/randtree that have reached a live state after a number
// of steps, with and without weights. As Figure 2 of the paper does, it also draws this
// for walks of several systems. It writes the curves as SVG and their data as CSV; `make
// figures` puts both into docs/figures.
//
// With -services it runs replicated services on real sockets, and draws their
// throughput, and the stall when the head of a chain fails, as Figures 4 and 5 of the
// report on P do.
//
// It is also an example of a program that uses a search.Lab to take walks.
//
// It is a module of its own, so that programs that use macemc do not depend on the
// plotting library gonum.org/v1/plot. That library is maintained as a part of a larger
// project, draws logarithmic axes and steps, and writes SVG without a browser or cgo.
package main
