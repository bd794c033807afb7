/** Items of files and of an organization in one form, so that they can be compared member by member. */
import type { ItemKind } from '../../modules/configuration/index.ts'

/** Plain JSON with all members of the kind, so that a default and its omission are equal. */
export type Content = Readonly<Record<string, unknown>>

export type Item = { kind: ItemKind; name: string; content: Content }

export type FileItem = Item & { source: string }

/** `id` is what the operations of the area need to change it. */
export type LiveItem = Item & { id: string }

/** An item as the last application of a file left it. */
export type BaseItem = Item

export const keyOf = ({ kind, name }: Pick<Item, 'kind' | 'name'>): string => `${kind} ${name}`

/** JSON with sorted members, so that equal values have equal texts. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(
            Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)),
          )
        : member,
    ) ?? 'undefined'
  )
}

export const isEqual = (one: unknown, other: unknown): boolean =>
  canonical(one) === canonical(other)
