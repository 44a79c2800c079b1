package finding

import (
	"fmt"
	"regexp"
	"strings"

	"macemc/internal/report"
)

// strangers are pairs of nodes of which one knows the other and is not known by
// it at any dead end, and which know each other wherever the run recovers: peers
// that disagree about what they are to each other.
func (a *ahead) strangers(t *tale) (facts []string) {
	if len(a.live) == 0 {
		return nil
	}
	dead, live := acquaintances(a.dead), acquaintances(a.live)
	nodes := t.r.Params.Addrs()
	for _, one := range nodes {
		for _, other := range nodes {
			there, back := [2]string{one.String(), other.String()}, [2]string{other.String(), one.String()}
			if one != other && dead[there] == len(a.dead) && dead[back] == 0 && live[there] == len(a.live) && live[back] == len(a.live) {
				facts = append(facts, fmt.Sprintf("%s knows of %s, which does not know of %s; where the run recovers, they know of each other.",
					report.Code(there[0]), report.Code(there[1]), report.Code(there[0])))
			}
		}
	}
	return facts
}

var nodeName = regexp.MustCompile(`\bn\d+\b`)

// acquaintances counts at how many ends a node has the name of another in one of
// its fields.
func acquaintances(all []outlook) map[[2]string]int {
	n := map[[2]string]int{}
	for _, o := range all {
		met := map[[2]string]bool{}
		for _, l := range o.end {
			at := strings.IndexAny(l.Path, ".[ ")
			if at < 0 || l.Path[at] == ' ' { // not a field: a timer, a channel
				continue
			}
			for _, other := range nodeName.FindAllString(l.Path[at:]+" "+l.Value, -1) {
				met[[2]string{l.Path[:at], other}] = true
			}
		}
		for pair := range met {
			n[pair]++
		}
	}
	return n
}
