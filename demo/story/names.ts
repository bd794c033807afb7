/** Invented people: names, mail addresses under reserved domains, telephone numbers kept for fiction. */
import type { Random } from '../../src/platform/random.ts'

const GIVEN = [
  'Ada',
  'Amir',
  'Anja',
  'Arne',
  'Bea',
  'Bilal',
  'Carla',
  'Cem',
  'Dana',
  'Daan',
  'Ebba',
  'Elif',
  'Emil',
  'Enno',
  'Esra',
  'Fynn',
  'Gwen',
  'Hana',
  'Hugo',
  'Ida',
  'Ilse',
  'Ivo',
  'Jana',
  'Jonas',
  'Kaja',
  'Karim',
  'Lars',
  'Leila',
  'Lena',
  'Liam',
  'Lucia',
  'Maja',
  'Malik',
  'Marta',
  'Mats',
  'Mila',
  'Nadia',
  'Nils',
  'Noor',
  'Olga',
  'Omar',
  'Paula',
  'Pim',
  'Quinn',
  'Rana',
  'Rhys',
  'Rosa',
  'Ruben',
  'Sam',
  'Sara',
  'Sven',
  'Tess',
  'Theo',
  'Tilda',
  'Tomas',
  'Uma',
  'Vera',
  'Wim',
  'Yusuf',
  'Zoe',
] as const

const FAMILY = [
  'Abel',
  'Ahlers',
  'Arslan',
  'Bakker',
  'Barlow',
  'Bauer',
  'Becker',
  'Berg',
  'Bosch',
  'Brandt',
  'Carter',
  'Cohen',
  'Dekker',
  'Demir',
  'Dietz',
  'Ebert',
  'Ellis',
  'Engel',
  'Farouk',
  'Fischer',
  'Foster',
  'Frank',
  'Gerrits',
  'Graf',
  'Haas',
  'Hansen',
  'Hughes',
  'Ibrahim',
  'Jansen',
  'Jung',
  'Kaya',
  'Keller',
  'Kramer',
  'Krause',
  'Lange',
  'Lewis',
  'Lorenz',
  'Maas',
  'Meijer',
  'Moran',
  'Nagel',
  'Novak',
  'Okeke',
  'Otten',
  'Palmer',
  'Peeters',
  'Petrov',
  'Pohl',
  'Quist',
  'Reid',
  'Sander',
  'Schulte',
  'Silva',
  'Smit',
  'Thoma',
  'Turner',
  'Ulrich',
  'Vogel',
  'Walsh',
  'Winter',
] as const

/** Where people have their mail. All under domains that nobody can register. */
export const MAIL_DOMAINS = [
  'mail.example',
  'post.example',
  'inbox.test',
  'letters.example',
  'home.test',
] as const
/** Registered a few days before it is used, and one that takes no mail. */
export const YOUNG_DOMAIN = 'quick-offers.example'
export const SILENT_DOMAIN = 'nowhere-mail.example'
/**
 * The only real names in the story: what is disposable is known by lists, and lists have no invented
 * domains. Nothing is sent there, and the name servers are our own.
 */
export const DISPOSABLE_DOMAINS = ['mailinator.com', 'guerrillamail.com', 'yopmail.com'] as const

export const isDisposable = (domain: string): boolean =>
  (DISPOSABLE_DOMAINS as readonly string[]).includes(domain)

export type Person = { given: string; family: string; email: string }

export function inventPerson(random: Random, number: number): Person {
  const given = random.pick(GIVEN)
  const family = random.pick(FAMILY)
  const domain = random.pick(MAIL_DOMAINS)
  const tail = random.chance(0.5) ? `${number % 97}` : ''
  return { given, family, email: `${given}.${family}${tail}@${domain}`.toLowerCase() }
}

/**
 * Numbers that regulators keep for plays and films: Ofcom's 0117 496 0xxx in Bristol, and those of the
 * Bundesnetzagentur. The Netherlands have none, so people there give none. Those that Ofcom keeps for
 * mobiles are in no plan, and every check would say so.
 */
export function inventPhone(random: Random, countryCode: string): string | undefined {
  const two = () => String(random.integer(0, 99)).padStart(2, '0')
  if (countryCode === 'GB') return `+441174960${random.integer(0, 9)}${two()}`
  if (countryCode === 'DE') {
    return random.chance(0.5) ? `+4917139200${two()}` : `+49176040690${two()}`
  }
  return undefined
}
