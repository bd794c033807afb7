/** Every way in which one query parameter can be bad. */
import type { Parameter } from './document.ts'

export type SpoiltQuery = { name: string; query: string; field: string }

const WRONG_TEXTS: Record<string, string[]> = {
  integer: [
    '',
    ' ',
    'abc',
    'NaN',
    'Infinity',
    '-Infinity',
    '1e400',
    '0x10',
    '1.5',
    '--1',
    '1,2',
    '\0',
  ],
  number: ['', ' ', 'abc', 'NaN', 'Infinity', '1e400', '0x10', '--1', '1,2', '\0'],
  boolean: ['', 'yes', '1', 'TRUE', 'null'],
}

const NO_TIMES = [
  '',
  ' ',
  'none of them',
  '0',
  '1772366400',
  '2026-02-30',
  '2026-03-01T25:00:00Z',
  '2026-03-01T12:00:00+99:00',
  '2026-03-01T12:00:00Z\0',
  'Sun, 01 Mar 2026 12:00:00 GMT',
]

/** What means the same everywhere, and a schema cannot tell it. */
export const GOOD_BY_NAME: Record<string, string> = {
  start_date: '2026-03-01T00:00:00.000Z',
  end_date: '2026-03-01T12:00:00.000Z',
  level: 'error',
}
const WRONG_BY_NAME: Record<string, string[]> = {
  start_date: NO_TIMES,
  end_date: NO_TIMES,
  level: ['', ',', 'error,', 'loud', 'error,loud', 'ERROR', 'error;fatal', 'error\0'],
  q: ['', ' ', '""', '!?', Array.from({ length: 50 }, (_, index) => `w${index}`).join(' ')],
}

/** @param good a query that the operation accepts, with every parameter */
export function spoilQuery(parameters: Parameter[], good: Record<string, string>): SpoiltQuery[] {
  return parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, schema, required }) => {
      const spoilt = wrongTexts(name, schema).map((text) => ({
        name: `${name} = ${JSON.stringify(text).slice(0, 40)}`,
        query: new URLSearchParams({ ...good, [name]: text }).toString(),
        field: name,
      }))
      if (schema['type'] !== 'array') {
        const twice = new URLSearchParams({ ...good, [name]: good[name] ?? '' })
        twice.append(name, good[name] ?? '')
        spoilt.push({ name: `${name} twice`, query: twice.toString(), field: name })
      }
      if (required) {
        const { [name]: _, ...rest } = good
        const query = new URLSearchParams(rest).toString()
        spoilt.push({ name: `${name} is missing`, query, field: name })
      }
      return spoilt
    })
}

function wrongTexts(name: string, schema: Parameter['schema']): string[] {
  const { minimum, maximum, minLength, maxLength } = schema as Record<string, number | undefined>
  const texts = [...(WRONG_TEXTS[String(schema['type'])] ?? [])]
  if (Array.isArray(schema['enum'])) texts.push('', 'none of them', `${String(schema['enum'][0])} `)
  if (typeof schema['format'] === 'string') texts.push('', 'none of them')
  if (minimum !== undefined) texts.push(String(minimum - 1))
  if (maximum !== undefined) texts.push(String(maximum + 1))
  if (minLength !== undefined && minLength > 0) texts.push('')
  if (maxLength !== undefined) texts.push('x'.repeat(maxLength + 1))
  return [...texts, ...(WRONG_BY_NAME[name] ?? [])]
}
