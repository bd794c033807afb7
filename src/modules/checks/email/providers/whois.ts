/**
 * WHOIS (RFC 3912) for top-level domains without RDAP: IANA's server names the registry's, which is
 * remembered; the registry's answer is read by whois-answer.ts.
 */
import { connect } from 'node:net'
import { known, type Lookup, unknown } from '../../../../platform/lookup.ts'
import type { Registration } from '../facts.ts'
import { readReferral, readWhoisAnswer } from './whois-answer.ts'

export type LookupWhois = (domain: string, signal: AbortSignal) => Promise<Lookup<Registration>>

const PORT = 43
const MAX_BYTES = 262_144
const REFERRAL_LIFETIME_MS = 86_400_000
const MAX_REFERRALS = 2_000

/** Servers that want more than the bare name in the query. */
const QUERY_FORMS: Readonly<Record<string, (domain: string) => string>> = {
  'whois.denic.de': (domain) => `-T dn,ace ${domain}`,
  'whois.jprs.jp': (domain) => `${domain}/e`,
}

/** `whoisHost`: IANA's server or a stand-in, `host` or `host:port`. */
export function createWhois(whoisHost: string, now: () => Date): LookupWhois {
  const referrals = new Map<string, { host: string; until: number }>()

  const serverOf = async (tld: string, signal: AbortSignal): Promise<Lookup<string>> => {
    const remembered = referrals.get(tld)
    if (remembered !== undefined && remembered.until > now().getTime()) {
      return known(remembered.host)
    }
    const answer = await queryWhois(whoisHost, tld, signal)
    if (!answer.known) return answer
    const host = readReferral(answer.value)
    if (host === undefined) return unknown('not_applicable')
    if (referrals.size >= MAX_REFERRALS) referrals.clear()
    referrals.set(tld, { host, until: now().getTime() + REFERRAL_LIFETIME_MS })
    return known(host)
  }

  return async function lookupWhois(domain, signal) {
    const server = await serverOf(domain.slice(domain.lastIndexOf('.') + 1), signal)
    if (!server.known) return server
    const form = QUERY_FORMS[server.value.toLowerCase()]
    const answer = await queryWhois(server.value, form?.(domain) ?? domain, signal)
    return answer.known ? readWhoisAnswer(answer.value, domain) : answer
  }
}

/** One question and its whole answer. The bytes are read as Latin-1, which every byte is. */
function queryWhois(server: string, query: string, signal: AbortSignal): Promise<Lookup<string>> {
  const { host, port } = splitServer(server)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const socket = connect({ host, port, signal }, () => socket.write(`${query}\r\n`))
    const finish = (answer: Lookup<string>) => {
      resolve(answer)
      socket.destroy()
    }
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BYTES) finish(unknown('bad_answer'))
      chunks.push(chunk)
    })
    socket.on('end', () => finish(known(Buffer.concat(chunks).toString('latin1'))))
    socket.on('error', () => finish(unknown(signal.aborted ? 'timeout' : 'unreachable')))
    socket.on('close', () => finish(unknown('unreachable')))
  })
}

/** `host`, `host:port`, `[v6]:port`. */
function splitServer(server: string): { host: string; port: number } {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(server) ?? []
  if (host === undefined) return { host: server, port: PORT }
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}
