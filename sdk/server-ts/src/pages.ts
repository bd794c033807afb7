/** Reads lists with pages as one sequence. */
import type { Vigil } from './client.ts'
import { OPERATIONS } from './generated/operations.ts'
import type { CallOptions } from './options.ts'

type Table = typeof OPERATIONS
/** Names of the operations with pages. */
export type PagedOperation = {
  [Name in keyof Table]: Table[Name] extends { records: string } ? Name : never
}[keyof Table]

type Content<Name extends PagedOperation> = Awaited<ReturnType<Vigil[Name]>>
/** The record that the pages of an operation contain. */
export type RecordOf<Name extends PagedOperation> =
  Content<Name> extends (infer Item)[]
    ? Item
    : Content<Name> extends Record<Table[Name]['records'], (infer Item)[]>
      ? Item
      : never

type Page = { pagination?: { page: number; pages: number } } & Record<string, unknown>

/**
 * Requests the pages of a list one after the other and returns their records. A record that moves to the
 * next page, because newer ones arrive while the list is read, is returned once.
 *
 * @param params those of the operation; `page` is the first page, 1 by default
 */
export async function* recordsOf<Name extends PagedOperation>(
  vigil: Vigil,
  name: Name,
  params: Parameters<Vigil[Name]>[0],
  options: CallOptions = {},
): AsyncGenerator<RecordOf<Name>> {
  const request = vigil[name] as (params: object, options: CallOptions) => Promise<unknown>
  const { records } = OPERATIONS[name]
  let before = new Set<string>()
  for (let page = params.page ?? 1; ; page += 1) {
    const content = (await request({ ...params, page }, options)) as Page | unknown[]
    const isPlain = Array.isArray(content)
    const items = (isPlain ? content : content[records]) as RecordOf<Name>[]
    yield* items.filter((item) => !before.has(identityOf(item)))
    const pagination = isPlain ? undefined : content.pagination
    if (items.length === 0 || (pagination && page >= pagination.pages)) return
    before = new Set(items.map(identityOf))
  }
}

/** Records have an `id`, devices and groups of errors other names for it. */
function identityOf(item: unknown): string {
  const { id, device_id, fingerprint } = item as Partial<Record<string, string>>
  return id ?? device_id ?? fingerprint ?? JSON.stringify(item)
}
