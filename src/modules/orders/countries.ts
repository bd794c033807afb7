/** Countries by whatever name they are sent: the profile has a code, the order a name. */
import countries from 'i18n-iso-countries'

export type Countries = {
  /** @returns ISO 3166 alpha-2, or the beginning of the name in lower case when it is none that is known */
  codeOf(name: string): string
}

/** Profiles remember names that nobody knows, and what they remember stays small. */
const NAME_MAX_CHARS = 48

export function createCountries(): Countries {
  // Names in eighty languages take a moment to read, so they wait for the first order with one.
  let codes: Map<string, string> | undefined
  return {
    codeOf: (name) => {
      const plain = name.trim().toLowerCase()
      codes ??= readCodes()
      return codes.get(plain) ?? Array.from(plain).slice(0, NAME_MAX_CHARS).join('')
    },
  }
}

function readCodes(): Map<string, string> {
  const codes = new Map<string, string>()
  // English last: where languages disagree about a name, it decides.
  const languages = [...countries.getSupportedLanguages().filter((tag) => tag !== 'en'), 'en']
  for (const language of languages) {
    for (const [code, names] of Object.entries(countries.getNames(language, { select: 'all' }))) {
      for (const name of names) codes.set(name.toLowerCase(), code)
    }
  }
  for (const [alpha3, alpha2] of Object.entries(countries.getAlpha3Codes())) {
    codes.set(alpha3.toLowerCase(), alpha2)
    codes.set(alpha2.toLowerCase(), alpha2)
  }
  return codes
}
