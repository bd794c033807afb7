/** Settings of look-ups: DNS, RDAP, WHOIS, ENUM and the SIM swap API of a mobile operator. */
import { isAddressAndPort, isHost, isHostAndPort } from '../platform/net/address-text.ts'
import {
  choice,
  flag,
  formed,
  integer,
  list,
  optionalChoice,
  optionalFormed,
  optionalText,
  optionalUrl,
  type Setting,
  text,
  url,
} from '../platform/settings.ts'

/** JSON Web Algorithms that a token endpoint may ask for (RFC 7518, RFC 8037). */
const SIGNATURE_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA'] as const),
]

export const LOOKUP_SETTINGS = {
  dns_servers: list(
    '',
    {
      accepts: isAddressAndPort,
      what: 'IP addresses with an optional :PORT (IPv6 then in brackets)',
    },
    {
      help: 'DNS servers. Default: those of the system',
    },
  ),
  lookup_timeout_ms: integer(
    3000,
    { min: 50, max: 30_000 },
    {
      help: 'Timeout of look-ups that complete in the background',
    },
  ),
  rdap_enabled: flag(true, { help: 'Whether the age of domains is looked up by RDAP and WHOIS' }),
  rdap_bootstrap_url: url('https://data.iana.org/rdap/dns.json', ['http', 'https'], {
    help: 'RDAP bootstrap registry, read once a day. A bundled copy is used while it is unreachable',
  }),
  whois_server: formed(
    'whois.iana.org:43',
    { accepts: isHostAndPort, what: 'HOST or HOST:PORT' },
    { help: 'WHOIS server that refers to the registries' },
  ),
  enum_suffix: optionalFormed(
    { accepts: isHost, what: 'a domain name' },
    { help: 'ENUM zone for number portability, for example e164.arpa or the zone of your carrier' },
  ),
  sim_swap_url: optionalUrl(['http', 'https'], {
    help: 'Root URL of the CAMARA SIM Swap API of your operator, up to and including /sim-swap/v2',
  }),
  sim_swap_token_url: optionalUrl(['http', 'https'], {
    help: 'OAuth 2 token endpoint of your operator',
  }),
  sim_swap_auth: choice(
    ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    'client_secret_basic',
    { help: 'Client authentication method at the token endpoint' },
  ),
  sim_swap_client_id: optionalText({ help: 'OAuth 2 client id' }),
  sim_swap_client_secret: optionalText({ help: 'OAuth 2 client secret', secret: true }),
  sim_swap_private_key: optionalText({
    help: 'Private key for private_key_jwt, PKCS #8 in PEM. Line breaks may be written as \\n',
    secret: true,
  }),
  sim_swap_key_id: optionalText({ help: 'Key id (kid) of the private key' }),
  sim_swap_key_algorithm: optionalChoice(SIGNATURE_ALGORITHMS, {
    help: 'Signature algorithm. Default: chosen by the type of the key',
  }),
  sim_swap_scope: text('dpv:FraudPreventionAndDetection sim-swap:check sim-swap:retrieve-date', {
    help: 'OAuth 2 scope to request',
  }),
} as const satisfies Record<string, Setting<unknown>>
