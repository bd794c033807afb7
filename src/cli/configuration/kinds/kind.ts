/** The operations that `vigil apply` needs for a kind of items. */
import type { ItemKind } from '../../../modules/configuration/index.ts'
import type { Api } from '../api.ts'
import type { Content, LiveItem } from '../item.ts'

export type Context = {
  api: Api
  /** @throws CommandError unless an item of this kind has the name */
  idOf(kind: ItemKind, name: string): string
  /** The name of an item that was read before. */
  nameOf(kind: ItemKind, id: string): string | undefined
  /** The value that a reference like `${SLACK_URL}` stands for. @throws CommandError when it is not set */
  secretOf(reference: string): string
}

/** The result of a creation: `secrets` are shown to the caller and not stored. */
export type Created = { id: string; secrets?: Record<string, string> }

export type Kind = {
  /** In messages, such as `alert rule`. */
  noun: string
  nameOf(content: Content): string
  /** Adds members that a file may omit, and writes equal values in one form. */
  normalize(content: Content): Content
  /**
   * The item as a file has it: with references in the place of secrets. Undefined for one that is not exported,
   * because it is no choice of the organization. Default: as it was read.
   */
  exported?(content: Content): Content | undefined
  /** Members that cannot be read. */
  hidden?: readonly string[]
  /** Members that only a creation sets. */
  fixed?: readonly string[]
  read(context: Context): Promise<Omit<LiveItem, 'kind'>[]>
  create(context: Context, content: Content): Promise<Created>
  /** @param content has all members; `members` are those that change */
  change(
    context: Context,
    live: LiveItem,
    content: Content,
    members: readonly string[],
  ): Promise<void>
  /** Absent where items cannot be deleted. */
  remove?(context: Context, live: LiveItem): Promise<void>
}

export const pickMembers = (
  content: Content,
  members: readonly string[],
): Record<string, unknown> => Object.fromEntries(members.map((member) => [member, content[member]]))

export const textOf = (content: Content, member: string): string => String(content[member])

export const sortedTexts = (value: unknown): unknown =>
  Array.isArray(value) ? [...(value as string[])].sort() : value

/** ISO 8601 as the service writes it, so that different spellings of a time are equal. */
export function timeText(value: unknown): unknown {
  const time = typeof value === 'string' ? new Date(value) : undefined
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : value
}
