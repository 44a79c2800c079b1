package setting

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macemc/sim"
)

// CrashModels lists the words for the models of crashes.
var CrashModels = []string{"explicit", "within", "implicit"}

// CrashModel returns the word for the way in which nodes fail.
func CrashModel(c *sim.Conditions) string {
	switch {
	case c.CrashWithin:
		return CrashModels[1]
	case c.CrashImplicit:
		return CrashModels[2]
	}
	return CrashModels[0]
}

// ParseCrashModel reads one of CrashModels. The empty text means explicit.
func ParseCrashModel(text string) (within, implicit bool, err error) {
	if text != "" && !slices.Contains(CrashModels, text) {
		return false, false, fmt.Errorf("there is no crash model %q; there are explicit, within, implicit", text)
	}
	return text == CrashModels[1], text == CrashModels[2], nil
}

// ParseNetwork reads settings of links such as "tcp-buffer=20,udp-capacity=4,slow=n0-n1". The empty
// text sets nothing.
func ParseNetwork(text string) (sim.Network, error) {
	var net sim.Network
	if text == "" {
		return net, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		var field *int
		switch name {
		case "tcp-buffer":
			field = &net.TCPBuffer
		case "udp-capacity":
			field = &net.UDPCapacity
		case "slow":
			if net.Slow != "" {
				return net, fmt.Errorf("network setting slow is set twice; write slow=n0-n1+n2")
			}
			net.Slow = value
			if _, err := net.SlowLinks(math.MaxInt); err != nil {
				return sim.Network{}, err
			}
			continue
		default:
			return net, fmt.Errorf("there is no network setting %q; there are tcp-buffer, udp-capacity, slow", name)
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return net, fmt.Errorf("network setting %s is %q; it must be a number of 1 or more", name, value)
		}
		if *field > 0 {
			return net, fmt.Errorf("network setting %s is set twice", name)
		}
		*field = n
	}
	return net, nil
}
