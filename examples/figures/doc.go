// Figures draws how soon random walks become live, as Figure 4 of the MaceMC
// paper does: the share of walks of systems/randtree that have reached a live
// state after so many steps, with and without weights. As Figure 2 does, it also
// draws how soon walks of several systems do. It writes the curves as SVG and what
// they are of as CSV; `make figures` puts both into docs/figures.
//
// With -services it runs replicated services, as they run for real, and draws their throughput and the stall when
// the head of a chain fails, as Figures 4 and 5 of the report on P do.
//
// It also shows how a program of one's own asks a search.Lab for walks.
//
// It is a module of its own, so that who uses macemc does not get the plotting
// library gonum.org/v1/plot with it. That is the one for Go which is maintained
// as a part of a larger project, draws axes by logarithms and steps, and writes
// SVG without a browser or cgo.
package main
