/** Mutates each query parameter of an operation to invalid values. */
import type { Parameter } from './document.ts'

export type QueryMutation = { name: string; query: string; field: string }

const WRONG_TEXTS: Record<string, string[]> = {
  integer: [
    ' ',
    'abc',
    'NaN',
    'Infinity',
    '-Infinity',
    '1e400',
    '0x10',
    '1.5',
    '5.0',
    '1e3',
    '--1',
    '1,2',
    '\0',
  ],
  number: [' ', 'abc', 'NaN', 'Infinity', '1e400', '0x10', '--1', '1,2', '\0'],
  boolean: ['yes', '1', 'TRUE', 'null'],
}

const NO_TIMES = [
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

/** Valid values of parameters whose format is not in their schema. */
export const GOOD_BY_NAME: Record<string, string> = {
  start_date: '2026-03-01T00:00:00.000Z',
  end_date: '2026-03-01T12:00:00.000Z',
  level: 'error',
}
const WRONG_BY_NAME: Record<string, string[]> = {
  start_date: NO_TIMES,
  end_date: NO_TIMES,
  level: [',', 'error,', 'loud', 'error,loud', 'ERROR', 'error;fatal', 'error\0'],
  q: [' ', '""', '!?', Array.from({ length: 50 }, (_, index) => `w${index}`).join(' ')],
}

/** @param good a valid query with every parameter */
export function queryMutations(
  parameters: Parameter[],
  good: Record<string, string>,
): QueryMutation[] {
  return parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, schema, required }) => {
      const mutations = wrongTexts(name, schema).map((text) => ({
        name: `${name} = ${JSON.stringify(text).slice(0, 40)}`,
        query: new URLSearchParams({ ...good, [name]: text }).toString(),
        field: name,
      }))
      if (schema['type'] !== 'array') {
        const twice = new URLSearchParams({ ...good, [name]: good[name] ?? '' })
        twice.append(name, good[name] ?? '')
        mutations.push({ name: `${name} twice`, query: twice.toString(), field: name })
      }
      if (required) {
        const { [name]: _, ...rest } = good
        const query = new URLSearchParams(rest).toString()
        mutations.push({ name: `${name} is missing`, query, field: name })
      }
      // An empty optional parameter is left out.
      if (required && (Number(schema['minLength'] ?? 0) > 0 || name in WRONG_BY_NAME)) {
        const query = new URLSearchParams({ ...good, [name]: '' }).toString()
        mutations.push({ name: `${name} is empty`, query, field: name })
      }
      return mutations
    })
}

function wrongTexts(name: string, schema: Parameter['schema']): string[] {
  const { minimum, maximum, maxLength } = schema as Record<string, number | undefined>
  const texts = [...(WRONG_TEXTS[String(schema['type'])] ?? [])]
  if (Array.isArray(schema['enum'])) texts.push('none of them', `${String(schema['enum'][0])} `)
  if (typeof schema['format'] === 'string') texts.push('none of them')
  if (minimum !== undefined) texts.push(String(minimum - 1))
  if (maximum !== undefined) texts.push(String(maximum + 1))
  if (maxLength !== undefined) texts.push('x'.repeat(maxLength + 1))
  return [...texts, ...(WRONG_BY_NAME[name] ?? [])]
}
