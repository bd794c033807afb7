/** `vigil export config`: writes the configuration of an organization as a file. */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { reasonOf } from '../../platform/operator-error.ts'
import { CommandError, type Io, type Options, type Output } from '../io.ts'
import { printConfiguration } from './files.ts'
import type { Content, LiveItem } from './item.ts'
import { readOrganization } from './organization.ts'
import { type SessionOptions, withApi } from './session.ts'

type ExportOptions = Options & SessionOptions & { to?: string }

export const exportConfig = async (io: Io, options: ExportOptions): Promise<Output> =>
  await withApi(io, options, async (api) => {
    const { live } = await readOrganization(api, {})
    const items = live.filter(isExported).map(withReferences)
    const text = printConfiguration(items)
    if (options.to === undefined) {
      return { json: { configuration: text }, lines: [text.trimEnd()] }
    }
    try {
      writeFileSync(resolve(io.working_folder, options.to), text)
    } catch (cause) {
      throw new CommandError(`Cannot write ${options.to}: ${reasonOf(cause)}`, { cause })
    }
    const json = { file: options.to, items: items.length }
    return { json, lines: [`Wrote ${items.length} items to ${options.to}`] }
  })

/** The shipped rules are not a choice of the organization. */
const isExported = ({ kind, content }: LiveItem): boolean =>
  kind !== 'order_rules' ||
  Object.keys(content['overrides'] as object).length > 0 ||
  (content['custom_rules'] as unknown[]).length > 0

const URL_OF_CHANNEL = ['slack', 'teams', 'webhook']

/** Secrets cannot be read: their place is taken by the name of an environment variable. */
function withReferences(item: LiveItem): LiveItem {
  if (item.kind !== 'notification_channels') return item
  const { kind } = item.content
  const variable = `${item.name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_`.replace(
    /^(\d)/,
    '_$1',
  )
  const secret: Content = URL_OF_CHANNEL.includes(String(kind))
    ? { url: `\${${variable}URL}` }
    : kind === 'pagerduty'
      ? { routing_key: `\${${variable}ROUTING_KEY}` }
      : {}
  return { ...item, content: { ...item.content, ...secret } }
}
