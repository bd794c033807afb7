/**
 * An RDAP registry for tests and trials: domain look-ups (RFC 9082), their answers (RFC 9083), a
 * bootstrap file that points to this server (RFC 9224), and a WHOIS server.
 */
import { type HttpReply, type HttpRequest, startHttp } from './http-server.ts'
import { type RdapDomain, type RdapScenario, readRdapScenario } from './rdap-scenario.ts'
import { startWhois, type WhoisEmulator, type WhoisScenario } from './whois.ts'

export { example, type RdapScenario, readRdapScenario } from './rdap-scenario.ts'

export type RdapEmulator = {
  /** Base URL with a slash at the end, the form of bootstrap files. */
  readonly url: string
  readonly port: number
  /** The bootstrap file that assigns the scenario's suffixes to this server. */
  readonly bootstrap_url: string
  /** The last thousand HTTP requests, oldest first. */
  readonly requests: HttpRequest[]
  readonly whois: WhoisEmulator
  setScenario: (scenario: RdapScenario) => void
  close: () => Promise<void>
}

const DEFAULT_SUFFIXES = ['com', 'net', 'org', 'example', 'test', 'invalid']
const CONFORMANCE = ['rdap_level_0']
const NO_WHOIS: WhoisScenario = { queries: {} }

/** Starts both servers. Port 0 takes a free one. */
export async function startRdap(options: {
  port?: number
  whoisPort?: number
  host?: string
  scenario: RdapScenario
}): Promise<RdapEmulator> {
  const host = options.host ?? '127.0.0.1'
  let scenario = readRdapScenario(options.scenario)
  const http = await startHttp({
    port: options.port ?? 0,
    host,
    handle: (request) => answer(scenario, request, `${http.url}/`),
  })
  const whois = await startWhois({
    port: options.whoisPort ?? 0,
    host,
    scenario: scenario.whois ?? NO_WHOIS,
  })
  return {
    url: `${http.url}/`,
    port: http.port,
    bootstrap_url: `${http.url}/dns.json`,
    requests: http.requests,
    whois,
    setScenario: (next) => {
      scenario = readRdapScenario(next)
      whois.setScenario(scenario.whois ?? NO_WHOIS)
    },
    async close() {
      await Promise.all([http.close(), whois.close()])
    },
  }
}

function answer(scenario: RdapScenario, request: HttpRequest, url: string): HttpReply {
  if (request.method !== 'GET' && request.method !== 'HEAD') return failure(405, 'Not allowed')
  const { pathname } = new URL(request.path, url)
  if (pathname === '/dns.json') return bootstrap(scenario, url)
  if (pathname === '/help') return rdap(200, { notices: [{ title: 'Help', description: [''] }] })
  const [, name] = /^\/domain\/([^/]+)$/.exec(pathname) ?? []
  if (name === undefined) return failure(400, 'Bad request')
  return domain(scenario, name.toLowerCase(), url)
}

function domain(scenario: RdapScenario, name: string, url: string): HttpReply {
  const entry = Object.hasOwn(scenario.domains, name) ? scenario.domains[name] : undefined
  const fault = entry?.fault ?? scenario.fault
  const latency_ms = entry?.latency_ms ?? scenario.latency_ms
  const reply = faultReply(scenario, fault) ?? domainReply(name, entry, url)
  return { ...reply, latency_ms, fault }
}

function faultReply({ retry_after_s }: RdapScenario, fault: RdapDomain['fault']) {
  if (fault === '500') return failure(500, 'Internal error')
  if (fault !== '429') return undefined
  const headers = retry_after_s === undefined ? {} : { 'retry-after': String(retry_after_s) }
  return failure(429, 'Too many requests', headers)
}

function domainReply(name: string, entry: RdapDomain | undefined, url: string): HttpReply {
  if (!/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(name)) return failure(400, 'Not a domain name')
  if (entry === undefined) return failure(404, 'Not found')
  if (entry.redirect_to !== undefined) {
    return { status: 302, headers: { location: new URL(entry.redirect_to, url).href } }
  }
  return rdap(200, {
    objectClassName: 'domain',
    handle: `${name.toUpperCase()}-EMULATED`,
    ldhName: name,
    status: entry.status ?? ['active'],
    events: events(entry),
    links: [{ rel: 'self', href: `${url}domain/${name}`, type: 'application/rdap+json' }],
  })
}

function events(entry: RdapDomain) {
  const dates = [
    ['registration', entry.registered_at],
    ['expiration', entry.expires_at],
    ['last changed', entry.changed_at],
  ]
  return dates.flatMap(([eventAction, eventDate]) =>
    eventDate === undefined ? [] : [{ eventAction, eventDate }],
  )
}

function suffixesOf({ suffixes, domains }: RdapScenario): string[] {
  const listed = Object.keys(domains).map((name) => name.slice(name.lastIndexOf('.') + 1))
  return suffixes ?? [...new Set([...DEFAULT_SUFFIXES, ...listed])]
}

/** RFC 9224 section 4: the bootstrap file is plain JSON and no RDAP response. */
function bootstrap(scenario: RdapScenario, url: string): HttpReply {
  if (scenario.bootstrap_fault === '429') return failure(429, 'Too many requests')
  if (scenario.bootstrap_fault === '500') return failure(500, 'Internal error')
  return {
    status: 200,
    fault: scenario.bootstrap_fault,
    body: {
      version: '1.0',
      publication: '2026-01-30T00:00:00Z',
      description: 'RDAP bootstrap file of an emulator',
      services: [[suffixesOf(scenario), [url]]],
    },
  }
}

const failure = (status: number, title: string, headers: Record<string, string> = {}): HttpReply =>
  rdap(status, { errorCode: status, title, description: [`${title}.`] }, headers)

const rdap = (
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): HttpReply => ({
  status,
  headers: { 'content-type': 'application/rdap+json', ...headers },
  body: { rdapConformance: CONFORMANCE, ...body },
})
