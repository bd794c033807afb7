/**
 * Keys under which mailboxes are counted: spellings that reach the same mailbox get the same key. Not
 * for delivery. The rules are those that each provider publishes (dots, tags, twin domains).
 */
import { getPublicSuffix } from 'tldts'
import { literalPattern } from '../../../platform/literal-pattern.ts'
import { type EmailAddress, formatAddress, parseAddress } from './address.ts'

type Rules = {
  /** The domain that represents all its twins. */
  readonly domain?: string
  /** Separates the name from a tag that the user chooses freely. */
  readonly tag?: '+' | '-'
  readonly ignores_dots?: true
}

const GMAIL: Rules = { domain: 'gmail.com', tag: '+', ignores_dots: true }
const ICLOUD: Rules = { domain: 'icloud.com', tag: '+' }
const PROTON: Rules = { domain: 'proton.me', tag: '+' }
const YANDEX: Rules = { domain: 'yandex.ru', tag: '+' }
const PLUS: Rules = { tag: '+' }
const YAHOO: Rules = { tag: '-' }

const RULES = new Map<string, Rules>([
  ['gmail.com', GMAIL],
  ['googlemail.com', GMAIL],
  ['icloud.com', ICLOUD],
  ['me.com', ICLOUD],
  ['mac.com', ICLOUD],
  ['proton.me', PROTON],
  ['protonmail.com', PROTON],
  ['protonmail.ch', PROTON],
  ['pm.me', PROTON],
  ['yandex.ru', YANDEX],
  ['yandex.com', YANDEX],
  ['yandex.by', YANDEX],
  ['yandex.kz', YANDEX],
  ['ya.ru', YANDEX],
  ['fastmail.com', PLUS],
  ['fastmail.fm', PLUS],
  ['zoho.com', PLUS],
  ['zoho.eu', PLUS],
  ['zohomail.com', PLUS],
  ['zohomail.eu', PLUS],
  ['ymail.com', YAHOO],
  ['rocketmail.com', YAHOO],
])

/** Providers with a domain per country, by the name in front of the public suffix. */
const RULES_BY_NAME = new Map<string, Rules>([
  ['outlook', PLUS],
  ['hotmail', PLUS],
  ['live', PLUS],
  ['msn', PLUS],
  ['yahoo', YAHOO],
])

/** Fastmail delivers `anything@user.fastmail.com` to `user@fastmail.com`. */
const NAMES_USERS_BY_SUBDOMAIN = /^([^.]+)\.(fastmail\.(?:com|fm))$/

/** Returns the address of the mailbox in lower case; idempotent. */
export function canonicalAddress({ local, domain }: EmailAddress): string {
  const owner = NAMES_USERS_BY_SUBDOMAIN.exec(domain)
  if (owner !== null) return formatAddress(owner[1] ?? local, owner[2] ?? domain)
  const rules = rulesOf(domain)
  const lower = local.toLowerCase().normalize('NFC')
  const untagged = rules.tag === undefined ? lower : beforeTag(lower, rules.tag)
  const undotted = rules.ignores_dots === true ? untagged.replaceAll('.', '') : untagged
  return formatAddress(undotted === '' ? lower : undotted, rules.domain ?? domain)
}

/** @returns the mailbox that an address reaches; undefined for a text that is no address */
export function mailboxOf(email: string): string | undefined {
  const parsed = parseAddress(email)
  return parsed.is_valid ? canonicalAddress(parsed.address) : undefined
}

/**
 * @param mailbox from `mailboxOf`
 * @returns a regular expression, without regard to case, that matches the addresses that reach the mailbox
 */
export function spellingsOf(mailbox: string): string {
  const at = mailbox.lastIndexOf('@')
  const [local, domain] = [mailbox.slice(0, at), mailbox.slice(at + 1)]
  const { tag, ignores_dots } = rulesOf(domain)
  const letters = Array.from(local, literalPattern).join(
    ignores_dots === true ? String.raw`\.?` : '',
  )
  const tags = tag === undefined ? '' : `(?:\\${tag}[^@\\s"\\\\]*)?`
  const twins = [...RULES].flatMap(([name, rules]) => (rules.domain === domain ? [name] : []))
  const domains = [...new Set([domain, ...twins])].map((name) => literalPattern(name))
  return `${letters}${tags}@(?:${domains.join('|')})`
}

/**
 * Returns the key that mailboxes of a numbered series share (`user0001@`, `user0099@` → `user####@`).
 * Null without a number, and for numbers alone, which some providers assign as names.
 */
export function patternKey(canonical: string): string | null {
  const at = canonical.lastIndexOf('@')
  const local = canonical.slice(0, at)
  if (!/[0-9]/.test(local) || !/\p{L}/u.test(local)) return null
  return local.replaceAll(/[0-9]/g, '#') + canonical.slice(at)
}

function rulesOf(domain: string): Rules {
  const exact = RULES.get(domain)
  if (exact !== undefined) return exact
  const dot = domain.indexOf('.')
  const byName = RULES_BY_NAME.get(domain.slice(0, dot))
  return byName !== undefined && getPublicSuffix(domain) === domain.slice(dot + 1) ? byName : {}
}

function beforeTag(local: string, separator: string): string {
  const at = local.indexOf(separator)
  return at > 0 ? local.slice(0, at) : local
}
