"""Verifies deliveries with the Python library of Standard Webhooks."""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    case = json.loads(line)
    try:
        Webhook(case["secret"]).verify(case["body"], case["headers"])
        print("valid")
    except WebhookVerificationError:
        print("refused")
