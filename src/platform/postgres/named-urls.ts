/** Connection URLs with names, as `NAME=URL` separated by spaces. A URL can name a schema. */

const NAME = /^[a-z][a-z0-9-]{0,31}$/
const PROTOCOLS = ['postgres:', 'postgresql:']

export const isCellName = (text: string): boolean => NAME.test(text)

export const isPostgresUrl = (text: string): boolean =>
  URL.canParse(text) && PROTOCOLS.includes(new URL(text).protocol)

/** @returns undefined if the text has another form, or a name twice */
export function readNamedUrls(text: string): ReadonlyMap<string, string> | undefined {
  const urls = new Map<string, string>()
  for (const pair of text.split(/\s+/).filter((part) => part !== '')) {
    const end = pair.indexOf('=')
    const [name, url] = [pair.slice(0, Math.max(0, end)), pair.slice(end + 1)]
    if (!isCellName(name) || !isPostgresUrl(url) || urls.has(name)) return undefined
    urls.set(name, url)
  }
  return urls
}

/** Separates the schema, which PostgreSQL does not accept as a part of the URL: `?schema=NAME`. */
export function splitSchema(url: string): { server: string; schema: string | undefined } {
  const parsed = new URL(url)
  const schema = parsed.searchParams.get('schema') ?? undefined
  if (schema === undefined) return { server: url, schema }
  parsed.searchParams.delete('schema')
  return { server: parsed.href, schema }
}
