/**
 * WHOIS (RFC 3912) for top-level domains without RDAP. IANA's server names the server of the registry,
 * which is cached for a day.
 */

import { connect, isIPv6, type LookupFunction } from 'node:net'
import { known, type Lookup, unknown } from '../../../../platform/lookup.ts'
import { type IsInward, isInwardHost, outwardLookup } from '../../../../platform/net/outward.ts'
import { isInwardAddress } from '../../../../platform/net/public-address.ts'
import { DAY_MS } from '../../../../platform/time-units.ts'
import type { Registration } from '../facts.ts'
import { readReferral, readWhoisAnswer } from './whois-answer.ts'

export type LookupWhois = (domain: string, signal: AbortSignal) => Promise<Lookup<Registration>>

const IANA_HOST = 'whois.iana.org'
const PORT = 43
const PORT_MAX = 65_535
const MAX_BYTES = 262_144
const REFERRAL_LIFETIME_MS = DAY_MS
const MAX_REFERRALS = 2_000

/** Servers whose queries consist of more than the domain. */
const QUERY_FORMS: Readonly<Record<string, (domain: string) => string>> = {
  'whois.denic.de': (domain) => `-T dn,ace ${domain}`,
  'whois.jprs.jp': (domain) => `${domain}/e`,
}

export type WhoisOptions = {
  /** IANA's server or a replacement, as `host` or `host:port`. */
  readonly whoisHost: string
  readonly now: () => Date
  readonly isInward?: IsInward
}

type Server = { readonly host: string; readonly port: number }
/** A referral to a `stranger` must not lead to an inward address. */
type Referral = { readonly server: Server; readonly trust: 'own' | 'stranger' }

export function createWhois(options: WhoisOptions): LookupWhois {
  const { whoisHost, now, isInward = isInwardAddress } = options
  const first = splitServer(whoisHost)
  const isIana = first.host.toLowerCase() === IANA_HOST
  const referrals = new Map<string, Referral & { until: number }>()

  const referralOf = async (tld: string, signal: AbortSignal): Promise<Lookup<Referral>> => {
    const cached = referrals.get(tld)
    if (cached !== undefined && cached.until > now().getTime()) return known(cached)
    const answer = await queryWhois(first, tld, signal)
    if (!answer.known) return answer
    const text = readReferral(answer.value.text)
    if (text === undefined) return unknown('not_applicable')
    const referral: Referral = {
      server: referredServer(text, isIana),
      trust: !isIana && isInward(answer.value.peer) ? 'own' : 'stranger',
    }
    if (referrals.size >= MAX_REFERRALS) referrals.clear()
    referrals.set(tld, { ...referral, until: now().getTime() + REFERRAL_LIFETIME_MS })
    return known(referral)
  }

  return async function lookupWhois(domain, signal) {
    const referral = await referralOf(domain.slice(domain.lastIndexOf('.') + 1), signal)
    if (!referral.known) return referral
    const { server, trust } = referral.value
    if (trust === 'stranger' && isInwardHost(server.host, isInward)) return unknown('unreachable')
    const form = QUERY_FORMS[server.host.toLowerCase()]
    const lookup = trust === 'stranger' ? outwardLookup(isInward) : undefined
    const answer = await queryWhois(server, form?.(domain) ?? domain, signal, lookup)
    return answer.known ? readWhoisAnswer(answer.value.text, domain) : answer
  }
}

/**
 * Sends one query and reads the whole answer, as Latin-1, in which every byte is valid.
 * @returns `peer`: the address that answered
 */
function queryWhois(
  { host, port }: Server,
  query: string,
  signal: AbortSignal,
  lookup?: LookupFunction,
): Promise<Lookup<{ text: string; peer: string }>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let peer = ''
    const socket = connect({ host, port, signal, ...(lookup && { lookup }) }, () => {
      peer = socket.remoteAddress ?? ''
      socket.write(`${query}\r\n`)
    })
    const finish = (answer: Lookup<{ text: string; peer: string }>) => {
      resolve(answer)
      socket.destroy()
    }
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BYTES) finish(unknown('bad_answer'))
      chunks.push(chunk)
    })
    socket.on('end', () => finish(known({ text: Buffer.concat(chunks).toString('latin1'), peer })))
    socket.on('error', () => finish(unknown(signal.aborted ? 'timeout' : 'unreachable')))
    socket.on('close', () => finish(unknown('unreachable')))
  })
}

/** Registries answer on port 43; a referral by IANA to another port would reach another service. */
export function referredServer(text: string, isIana: boolean): Server {
  const server = splitServer(text)
  return isIana ? { ...server, port: PORT } : server
}

/** Splits `host`, `host:port` and `[v6]:port`; an invalid port is replaced by the default. */
function splitServer(server: string): Server {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(server) ?? []
  if (host === undefined || isIPv6(server)) return { host: bare(server), port: PORT }
  return { host: bare(host), port: Number(port) <= PORT_MAX ? Number(port) : PORT }
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')
