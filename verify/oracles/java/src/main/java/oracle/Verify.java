package oracle;

import com.google.gson.Gson;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Verifies deliveries with the Java library of Standard Webhooks. */
public class Verify {
  record Delivery(String secret, String body, Map<String, String> headers) {}

  public static void main(String[] args) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = lines.readLine()) != null; ) {
      var one = new Gson().fromJson(line, Delivery.class);
      Map<String, List<String>> headers =
          one.headers().entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, each -> List.of(each.getValue())));
      try {
        new Webhook(one.secret()).verify(one.body(), HttpHeaders.of(headers, (name, value) -> true));
        System.out.println("valid");
      } catch (WebhookVerificationException refused) {
        System.out.println("refused");
      }
    }
  }
}
