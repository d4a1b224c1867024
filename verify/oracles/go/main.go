// Verifies deliveries with the Go library of Standard Webhooks.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type delivery struct {
	Secret  string            `json:"secret"`
	Body    string            `json:"body"`
	Headers map[string]string `json:"headers"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var one delivery
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		webhook, err := standardwebhooks.NewWebhook(one.Secret)
		if err != nil {
			panic(err)
		}
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		if webhook.Verify([]byte(one.Body), headers) == nil {
			fmt.Println("valid")
		} else {
			fmt.Println("refused")
		}
	}
}
