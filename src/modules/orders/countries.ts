/** Normalizes country names: profiles carry a country code, orders a name in any language. */
import countries from 'i18n-iso-countries'

export type Countries = {
  /** @returns ISO 3166 alpha-2, or the start of the lowercased name when the country is unknown */
  codeOf(name: string): string
}

/** Profile states also store unknown names, so their length is bounded. */
const NAME_MAX_CHARS = 48

export function createCountries(): Countries {
  // Reading the names in eighty languages takes a moment, so it waits for the first order with a
  // country.
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
  // English comes last so that it wins where languages disagree about a name.
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
