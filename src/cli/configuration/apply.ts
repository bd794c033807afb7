/**
 * `vigil apply`: makes an organization what configuration files say. Each item is changed by the operation
 * of its area and recorded right after that, so a run that was interrupted is continued by the next one.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ItemKind } from '../../modules/configuration/index.ts'
import { CommandError, confirm, type Io, type Options, type Output } from '../io.ts'
import type { Api } from './api.ts'
import { planLines } from './diff.ts'
import { readConfigurationFiles } from './files.ts'
import type { FileItem, LiveItem } from './item.ts'
import { KINDS } from './kinds/index.ts'
import { mergeConfiguration, type Plan, type Step } from './merge.ts'
import { CONFIGURATION, type ReadOrganization, readBase, readOrganization } from './organization.ts'
import { type SessionOptions, withApi } from './session.ts'

type ApplyOptions = Options &
  SessionOptions & {
    dryRun?: boolean
    prune?: boolean
    overwrite?: boolean
    yes?: boolean
    revision?: string
    secrets?: string
  }

type Secret = { kind: ItemKind; name: string } & Record<string, string>

export async function applyConfig(io: Io, options: ApplyOptions, path = ''): Promise<Output> {
  const files = readConfigurationFiles(io.working_folder, path)
  return await withApi(io, options, async (api) => {
    const organization = await readOrganization(api, io.environment)
    const base = await readBase(api)
    const plan = mergeConfiguration(files, base, organization.live, {
      prune: options.prune ?? false,
      overwrite: options.overwrite ?? false,
      hidden: (kind) => KINDS[kind as ItemKind].hidden ?? [],
    })
    const lines = planLines(plan)
    if (options.dryRun) return { json: { dry_run: true, ...summary(plan) }, lines }
    requireApplicable(io, plan, options, lines)
    if (countChanges(plan) > 0 && options.yes !== true) {
      for (const line of lines) io.stderr(line)
      await confirm(io, `Apply ${countText(countChanges(plan), 'change')}?`)
    }
    const keeper = createKeeper(io, options.secrets)
    await applySteps(api, organization, plan, { revision: options.revision, keeper })
    const done = [...lines, ...keeper.lines(), `Applied ${countText(countChanges(plan), 'change')}`]
    return { json: { dry_run: false, ...summary(plan), secrets: keeper.shown() }, lines: done }
  })
}

const countChanges = ({ steps }: Plan): number =>
  steps.filter(({ action }) => action !== 'adopt').length

const countText = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

const summary = ({ steps, drift, left, conflicts }: Plan): object => ({
  steps: steps.map(({ action, file, live, changes }) => ({
    action,
    ...named(file ?? live),
    changes,
  })),
  drift: drift.map(({ item, differences }) => ({ ...named(item), differences })),
  left: left.map(named),
  conflicts: conflicts.map(({ item, differences }) => ({ ...named(item), differences })),
})

const named = (item: FileItem | LiveItem | undefined) => ({
  kind: item?.kind ?? null,
  name: item?.name ?? null,
})

/** Their creation returns a secret that is shown once. */
const WITH_SECRETS: readonly ItemKind[] = ['members', 'api_keys', 'webhook_endpoints']

/** Everything that can be known before the first change. */
function requireApplicable(
  io: Io,
  plan: Plan,
  options: ApplyOptions,
  lines: readonly string[],
): void {
  if (plan.conflicts.length > 0) {
    const text = 'Both the files and the console have changed the items above. Nothing was changed'
    throw new CommandError(`${lines.join('\n')}\n${text}: change the files, or use --overwrite`)
  }
  for (const { action, file, live, changes } of plan.steps) {
    if (action === 'delete' && live && !KINDS[live.kind].remove) {
      const text = `A ${KINDS[live.kind].noun} cannot be deleted: keep "${live.name}" in the files`
      throw new CommandError(text)
    }
    const fixed = changes.find(({ member }) => file && KINDS[file.kind].fixed?.includes(member))
    if (fixed && file) {
      const text = `${fixed.member} of the ${KINDS[file.kind].noun} "${file.name}" cannot be changed`
      throw new CommandError(`${text}: give the new item another name`)
    }
  }
  const isSecret = plan.steps.some(
    ({ action, file }) => action === 'create' && file && WITH_SECRETS.includes(file.kind),
  )
  if (options.secrets !== undefined && existsSync(resolve(io.working_folder, options.secrets))) {
    throw new CommandError(`${options.secrets} exists already: name another file for the secrets`)
  }
  if (isSecret && options.secrets === undefined && io.is_terminal !== true) {
    const text = 'Keys, signing secrets or invitations are created, which are shown once'
    throw new CommandError(`${text}: name a file for them with --secrets`)
  }
}

async function applySteps(
  api: Api,
  { context, learn }: ReadOrganization,
  plan: Plan,
  { revision, keeper }: { revision: string | undefined; keeper: Keeper },
): Promise<void> {
  const record = async (step: Step, action: string) => {
    const { kind, name } = named(step.file ?? step.live)
    const { file } = step
    await api.send('PUT', CONFIGURATION, {
      kind,
      name,
      action,
      revision: revision ?? null,
      source: file?.source ?? null,
      ...(file && { content: file.content }),
    })
  }
  for (const step of plan.steps) {
    const { action, file, live, content } = step
    if (action === 'create' && file && content) {
      const created = await KINDS[file.kind].create(context, content)
      learn({ ...file, id: created.id })
      if (created.secrets) keeper.keep({ kind: file.kind, name: file.name, ...created.secrets })
      await record(step, 'created')
    } else if (action === 'change' && file && live && content) {
      const members = step.changes.map(({ member }) => member)
      await KINDS[file.kind].change(context, live, content, members)
      await record(step, 'changed')
    } else if (action === 'delete' && live) {
      await KINDS[live.kind].remove?.(context, live)
      await record(step, 'deleted')
    } else {
      await record(step, 'adopted')
    }
  }
  for (const { kind, name } of plan.gone) {
    await api.send('PUT', CONFIGURATION, {
      kind,
      name,
      action: 'deleted',
      revision: revision ?? null,
    })
  }
}

type Keeper = { keep(secret: Secret): void; lines(): string[]; shown(): Secret[] }

/** Secrets are written as soon as they exist, because a later step can fail. */
function createKeeper(io: Io, file: string | undefined): Keeper {
  const kept: Secret[] = []
  return {
    keep: (secret) => {
      if (file !== undefined) {
        const path = resolve(io.working_folder, file)
        appendFileSync(path, `${JSON.stringify(secret)}\n`, { mode: 0o600 })
      }
      kept.push(secret)
    },
    lines: () => {
      if (file === undefined) return kept.flatMap(secretLines)
      return kept.length === 0 ? [] : [`Wrote ${countText(kept.length, 'secret')} to ${file}`]
    },
    shown: () => (file === undefined ? kept : []),
  }
}

const secretLines = ({ kind, name, ...values }: Secret): string[] =>
  Object.entries(values).map(
    ([label, value]) => `${label} of the ${KINDS[kind].noun} "${name}": ${value}`,
  )
