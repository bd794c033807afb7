/**
 * Finds domains that pass for another one: letters of several scripts in one label, a spelling that
 * looks like a popular mail domain (UTS 39 skeleton), or one typing slip away from it.
 */
import { domainToUnicode } from 'node:url'
import unhomoglyph from 'unhomoglyph'

export type Lookalike =
  | { readonly kind: 'mixed_scripts'; readonly label: string }
  | { readonly kind: 'foreign_letters' | 'same_shape' | 'typing_slip'; readonly resembles: string }

/** Mail domains that many people use, and mistype. */
const MAIL_DOMAINS =
  `gmail.com googlemail.com yahoo.com hotmail.com outlook.com icloud.com protonmail.com proton.me
  live.com aol.com gmx.de gmx.net web.de t-online.de yandex.ru mail.ru orange.fr wanadoo.fr
  laposte.net libero.it comcast.net verizon.net rediffmail.com`.split(/\s+/)
/** Domains that are worth imitating, because many people know or use them. */
const POPULAR = [
  ...MAIL_DOMAINS,
  'paypal.com',
  'amazon.com',
  'apple.com',
  'google.com',
  'microsoft.com',
]

/** A shorter name with one slip is too often the real name of another company. */
const SHORTEST_NAME_FOR_SLIPS = 5
const POPULAR_SKELETONS = new Map(POPULAR.map((domain) => [skeleton(domain), domain]))
const SLIP_TARGETS = POPULAR.filter((domain) => domain.indexOf('.') >= SHORTEST_NAME_FOR_SLIPS)

/** UTS 39 5.2, highly restrictive: a label may mix only the scripts of one of these sets. */
const SCRIPTS_THAT_MIX = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Hangul'],
  ['Latin', 'Han', 'Bopomofo'],
]
export const isMailDomain = (domain: string): boolean => MAIL_DOMAINS.includes(domain)

const ASCII = /^\p{ASCII}*$/u
const SCRIPTS =
  `Latin Greek Cyrillic Armenian Hebrew Arabic Devanagari Thai Georgian Cherokee Han Hiragana
  Katakana Hangul Bopomofo`
    .split(/\s+/)
    .map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }))

/** @param domain in ASCII form @returns undefined when it resembles none, or is popular itself */
export function findLookalike(domain: string): Lookalike | undefined {
  // Most names have no foreign letters, and the conversion takes a microsecond.
  const displayed = domain.includes('xn--') ? domainToUnicode(domain) : domain
  const resembles = POPULAR_SKELETONS.get(skeleton(displayed))
  if (resembles === domain) return undefined
  if (resembles !== undefined) {
    return { kind: displayed === domain ? 'same_shape' : 'foreign_letters', resembles }
  }
  const mixed = displayed.split('.').find((label) => mixesScripts(label))
  if (mixed !== undefined) return { kind: 'mixed_scripts', label: mixed }
  const near = SLIP_TARGETS.find((target) => isOneSlipAway(domain, target))
  return near === undefined ? undefined : { kind: 'typing_slip', resembles: near }
}

/** Lower case, because the table turns the digit 0 into a capital O. */
function skeleton(text: string): string {
  return unhomoglyph(text.normalize('NFD')).toLowerCase()
}

function mixesScripts(label: string): boolean {
  if (ASCII.test(label)) return false
  const used = SCRIPTS.filter(({ pattern }) => pattern.test(label)).map(({ name }) => name)
  if (used.length < 2) return false
  return !SCRIPTS_THAT_MIX.some((set) => used.every((name) => set.includes(name)))
}

/** One letter is added, missing or wrong, or two neighbors are swapped. */
function isOneSlipAway(text: string, target: string): boolean {
  if (Math.abs(text.length - target.length) > 1) return false
  let start = 0
  while (start < text.length && text[start] === target[start]) start += 1
  const textRest = text.slice(start)
  const targetRest = target.slice(start)
  if (textRest === '' && targetRest === '') return false
  const isSwap =
    textRest.length > 1 &&
    textRest[0] === targetRest[1] &&
    textRest[1] === targetRest[0] &&
    textRest.slice(2) === targetRest.slice(2)
  return (
    isSwap ||
    textRest.slice(1) === targetRest.slice(1) ||
    textRest.slice(1) === targetRest ||
    textRest === targetRest.slice(1)
  )
}
