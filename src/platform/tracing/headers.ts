/** @param text `NAME=VALUE`, separated by commas */
export function readHeaders(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.indexOf('=')
      return [pair.slice(0, end).trim(), pair.slice(end + 1).trim()]
    }),
  )
}

/** @returns whether each pair has a name that HTTP allows, and a value */
export const areHeaders = (text: string): boolean =>
  text.split(',').every((pair) => /^\s*[!#$%&'*+.^_`|~\w-]+=\s*[\x21-\x7e][\x20-\x7e]*$/.test(pair))
