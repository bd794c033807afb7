/** `vigil export config`: writes the configuration of an organization as a file. */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { reasonOf } from '../../platform/operator-error.ts'
import { CommandError, type Io, type Options, type Output } from '../io.ts'
import { printConfiguration } from './files.ts'
import { KINDS } from './kinds/index.ts'
import { readOrganization } from './organization.ts'
import { type SessionOptions, withApi } from './session.ts'

type ExportOptions = Options & SessionOptions & { to?: string }

export const exportConfig = async (io: Io, options: ExportOptions): Promise<Output> =>
  await withApi(io, options, async (api) => {
    const { live } = await readOrganization(api, {})
    const items = live.flatMap((item) => {
      const { exported } = KINDS[item.kind]
      const content = exported ? exported(item.content) : item.content
      return content === undefined ? [] : [{ ...item, content }]
    })
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
