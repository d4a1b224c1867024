-- Brands. Every other table of site data begins its keys with site_id.

CREATE TABLE site (
  id uuid PRIMARY KEY,
  -- The one address that links, QR codes and mails use; never taken from a request.
  origin text NOT NULL UNIQUE,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  -- Raised with every change of config, hosts, origin or status: processes compare it every second.
  version bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE site_host (
  host text PRIMARY KEY CHECK (host = lower(host)),
  site_id uuid NOT NULL REFERENCES site (id)
);
CREATE INDEX site_host_of_site ON site_host (site_id);

-- Every saved config is kept. Secrets inside are sealed.
CREATE TABLE site_config (
  site_id uuid NOT NULL REFERENCES site (id),
  version integer NOT NULL,
  config jsonb NOT NULL,
  saved_by text NOT NULL,
  saved_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, version)
);
