package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"macemc/program"
)

// A client makes deposits, each until it is acknowledged. It shows what was asked of it, and what was
// acknowledged.
type client struct {
	Asked, Acked []deposit
}

func deposits(servers []string) program.Program {
	return func(ctx context.Context, h *program.Host) {
		transport := &http.Transport{DialContext: h.DialContext}
		defer transport.CloseIdleConnections()
		c := &client{}
		h.Show(func() any { return *c })
		for {
			select {
			case <-ctx.Done():
				return
			case m := <-h.Mail():
				d := m.Value.(deposit)
				c.Asked = append(c.Asked, d)
				if insist(ctx, &http.Client{Transport: transport, Timeout: 3 * time.Second}, servers, d) {
					c.Acked = append(c.Acked, d)
				}
			}
		}
	}
}

// insist requests deposit d of the servers in turn, until one acknowledges it.
func insist(ctx context.Context, c *http.Client, servers []string, d deposit) bool {
	text, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	for i := 0; ctx.Err() == nil; i++ {
		r, err := http.NewRequestWithContext(ctx, "POST", "http://"+servers[i%len(servers)]+":80/deposit", bytes.NewReader(text))
		if err != nil {
			panic(err)
		}
		reply, err := c.Do(r)
		if err == nil {
			reply.Body.Close()
			if reply.StatusCode == http.StatusOK {
				return true
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return false
}
