/**
 * Classifies a network as data center or access provider, by its number and by the words in the name
 * of its organization. Numbers are listed only where the name gives no hint.
 */
import type { Network } from './ip-data.ts'

export type NetworkClass = 'hosting' | 'isp' | 'unknown'
export type NetworkService = 'tor' | 'vpn' | 'proxy'

/** Amazon, Google Cloud, Azure and others whose names contain no such word. */
const HOSTING_NUMBERS = new Set([
  16509, 14618, 8987, 7224, 396982, 8075, 16276, 35540, 24940, 213230, 212317, 14061, 63949, 20473,
  31898, 45102, 37963, 132203, 45090, 51167, 40021, 60781, 28753, 30633, 59253, 395954, 396362,
  12876, 8560, 47583, 9009, 60068, 212238, 36352, 8100, 40676, 203020, 26496, 22612, 54113, 36351,
  33070, 27357, 29802, 62240, 3214, 135377, 199524, 49505, 9123, 197695, 31034, 197540, 6724, 20773,
  8972, 202053, 61098, 36007, 63473, 53667, 43350, 46562, 393406, 200019, 49981, 55286,
])

const TOR_WORDS =
  /\b(?:tor (?:exit|relay)s?|zwiebelfreunde|stiftung erneuerbare freiheit|emerald onion|artikel10|applied privacy|nos oignons|torservers|f3 netze|quintex alliance|calyx institute)\b/i
const VPN_WORDS =
  /\bvpns?\b|(?:nord|express|surfshark|proton|pure|cyberghost|mullvad|windscribe|ip ?vanish|hide ?my ?ass|torguard)[ .-]?vpn|\b(?:packethub|tefincom|cyberghost|mullvad|windscribe|surfshark|31173 services|london trust media|tunnelbear|ivpn|anchorfree|privado networks|proton ag)\b/i
const PROXY_WORDS =
  /\b(?:prox(?:y|ies)|anonymi[sz](?:er|ing|ed)|oxylabs|bright ?data|luminati|smartproxy|iproyal|packetstream)\b/i
const HOSTING_WORDS =
  /\b(?:web ?hosting|hosting|hosted|hoster|cloud|clouds|server|servers|serveur|vps|vds|datacent(?:er|re)s?|data cent(?:er|re)s?|dedicated|coloc?ation|colo|baremetal|bare metal|serverius|leaseweb|hostinger|contabo|netcup|linode|vultr|digitalocean|ovh|hetzner|scaleway|choopa|m247|datacamp|softlayer|rackspace|hostkey|latitude\.sh|fdcservers|selectel|aeza|scalaxy|quickpacket|krypt|baxet|ipxo|multacom|eonix|glesys|kamatera|upcloud|ionos|ucloud|zenlayer|psychz|quadranet|colocrossing|hivelocity|hostroyale|clouvider|worldstream|akamai|fastly|cloudflare|cdn77)\b|hosting\b|host\b|cloud\b|vps\b/i
const ACCESS_WORDS =
  /\b(?:\w*tele[ck]om\w*|chinanet|\w*unicom|telmex|tele2|vimpelcom|mts pjsc|superonline|telco|t[eé]l[eé]communications?|telefonica|telef[oó]nica|telefon\w*|telenor|telia|telkom\w*|mobile|mobil|mobiles|wireless|cellular|broadband|breitband|cable|cablevision|kabel|fib(?:er|re|ra)|ftth|dsl|adsl|isp|wisp|internet service|communications?|communication|comunica(?:ciones|coes|ções)|vodafone|orange|comcast|verizon|at&t|t-mobile|charter|cox|spectrum|bt|o2|sfr|bouygues|iliad|swisscom|proximus|kpn|ziggo|airtel|jio|bsnl|mtn|safaricom|claro|vivo|tim|movistar|ntt|kddi|softbank|docomo|virgin media|sky uk|telstra|optus|rogers|bell canada|shaw|telus|frontier|centurylink|windstream|starlink|provedor\w*|provider|telemedia|satellite|net(?:work)? services de internet)\b/i

export function classifyNetwork(network: Network | undefined): {
  network_class: NetworkClass
  service: NetworkService | null
} {
  if (network === undefined) return { network_class: 'unknown', service: null }
  const service = serviceOf(network.organization)
  return { network_class: classOf(network, service), service }
}

function serviceOf(organization: string): NetworkService | null {
  if (TOR_WORDS.test(organization)) return 'tor'
  if (VPN_WORDS.test(organization)) return 'vpn'
  return PROXY_WORDS.test(organization) ? 'proxy' : null
}

/** A name with words of both kinds ("Cable & Cloud") counts as an access provider, to be lenient. */
function classOf(network: Network, service: NetworkService | null): NetworkClass {
  if (service !== null || HOSTING_NUMBERS.has(network.asn)) return 'hosting'
  if (ACCESS_WORDS.test(network.organization)) return 'isp'
  return HOSTING_WORDS.test(network.organization) ? 'hosting' : 'unknown'
}
