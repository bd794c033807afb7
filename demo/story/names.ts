/**
 * Invented people: names, mail addresses under reserved domains, and telephone numbers reserved for
 * fiction.
 */
import type { Random } from '../../src/platform/random.ts'

const GIVEN = `Ada Amir Anja Arne Bea Bilal Carla Cem Dana Daan Ebba Elif Emil Enno Esra Fynn Gwen Hana Hugo
  Ida Ilse Ivo Jana Jonas Kaja Karim Lars Leila Lena Liam Lucia Maja Malik Marta Mats Mila Nadia Nils Noor
  Olga Omar Paula Pim Quinn Rana Rhys Rosa Ruben Sam Sara Sven Tess Theo Tilda Tomas Uma Vera Wim Yusuf Zoe`
const FAMILY = `Abel Ahlers Arslan Bakker Barlow Bauer Becker Berg Bosch Brandt Carter Cohen Dekker Demir Dietz
  Ebert Ellis Engel Farouk Fischer Foster Frank Gerrits Graf Haas Hansen Hughes Ibrahim Jansen Jung Kaya
  Keller Kramer Krause Lange Lewis Lorenz Maas Meijer Moran Nagel Novak Okeke Otten Palmer Peeters Petrov
  Pohl Quist Reid Sander Schulte Silva Smit Thoma Turner Ulrich Vogel Walsh Winter`
const GIVEN_NAMES = GIVEN.split(/\s+/)
const FAMILY_NAMES = FAMILY.split(/\s+/)

/** Domains of customers. No one can register them. */
export const MAIL_DOMAINS = [
  'mail.example',
  'post.example',
  'inbox.test',
  'letters.example',
  'home.test',
] as const
/** A domain that is registered a few days before it is used, and one that accepts no mail. */
export const YOUNG_DOMAIN = 'quick-offers.example'
export const SILENT_DOMAIN = 'nowhere-mail.example'
/**
 * The only real names in the demo: disposable domains are known from lists, and the lists contain no
 * invented domains. Nothing is sent there, and the name servers are emulated.
 */
export const DISPOSABLE_DOMAINS = ['mailinator.com', 'guerrillamail.com', 'yopmail.com'] as const

export const isDisposable = (domain: string): boolean =>
  (DISPOSABLE_DOMAINS as readonly string[]).includes(domain)

export type Person = { email: string; phone: string | undefined; ip: string }

export const inventPerson = (random: Random, index: number, country: string): Person => ({
  email: inventEmail(random, index),
  phone: inventPhone(random, country),
  // RFC 3849: 2001:db8::/32 is reserved for documentation, and large enough for every customer.
  ip: `2001:db8:${(index >> 8).toString(16)}:${(index & 255).toString(16)}::1`,
})

function inventEmail(random: Random, index: number): string {
  const name = `${random.pick(GIVEN_NAMES)}.${random.pick(FAMILY_NAMES)}`
  const suffix = random.chance(0.5) ? `${index % 97}` : ''
  return `${name}${suffix}@${random.pick(MAIL_DOMAINS)}`.toLowerCase()
}

/**
 * Numbers that regulators reserve for drama: Ofcom's 0117 496 0xxx in Bristol, and those of the
 * Bundesnetzagentur. The Netherlands reserve none, so customers there have no number. Ofcom's mobile
 * numbers for drama are in no numbering plan, and every check would report that.
 */
function inventPhone(random: Random, country: string): string | undefined {
  const two = () => String(random.integer(0, 99)).padStart(2, '0')
  if (country === 'GB') return `+441174960${random.integer(0, 9)}${two()}`
  if (country !== 'DE') return undefined
  return random.chance(0.5) ? `+4917139200${two()}` : `+49176040690${two()}`
}
