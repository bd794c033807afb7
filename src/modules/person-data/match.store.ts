/** Conditions and replacements of patterns, in the SQL of PostgreSQL. */
import { type RawBuilder, sql } from 'kysely'
import { DELETED_TEXT, type Pattern } from './patterns.ts'

/** @param patterns at least one */
export function matches(
  text: RawBuilder<unknown>,
  patterns: readonly Pattern[],
): RawBuilder<boolean> {
  const conditions = patterns.map(({ value, before, after, ignores_case, contained }) => {
    const operator = sql.raw(ignores_case ? '~*' : '~')
    const found = sql`${text} ${operator} ${before + value + after}`
    return contained === undefined ? found : sql`(strpos(${text}, ${contained}) > 0 and ${found})`
  })
  return sql`(${sql.join(conditions, sql` or `)})`
}

/** What follows a value is looked at only, so that it can begin the next match. */
export const withoutValues = (
  text: RawBuilder<unknown>,
  patterns: readonly Pattern[],
): RawBuilder<string> =>
  patterns.reduce<RawBuilder<string>>(
    (replaced, { value, before, after, ignores_case }) => sql`regexp_replace(${replaced},
      ${`${before}${value}(?=${after.slice('(?:'.length)}`}, ${String.raw`\1${DELETED_TEXT}`},
      ${ignores_case ? 'gi' : 'g'})`,
    sql`${text}`,
  )
