/** `vigil org move`: moves an organization to another cell while it is in use. */

import { requireSession } from '../app/cells.ts'
import type { Stores } from '../app/stores.ts'
import {
  cancelMove,
  findCellOf,
  findMoveUnderWay,
  insertMove,
  listCells,
  MAIN_CELL,
  type MoveRow,
  type MoveSide,
  moveOrganization,
} from '../modules/cells/index.ts'
import { applyDirectoryChanges } from '../modules/directory/index.ts'
import { findName } from '../modules/organization-data/index.ts'
import { isUuid } from '../platform/ids.ts'
import { openConnection } from '../platform/postgres/connection.ts'
import { type Context, withStores } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'

type MoveCommand = Options & {
  to?: string
  pause: number
  settle: number
  status?: boolean
  cancel?: boolean
}

const CONNECTION_NAME = 'vigil-move'

export const moveOrganizationTo = async (
  io: Io,
  options: MoveCommand,
  orgId = '',
): Promise<Output> =>
  await withStores(io, async (context) => {
    const { stores } = context
    const from = isUuid(orgId) ? await findCellOf(stores.directory, orgId) : undefined
    if (from === undefined) throw new CommandError(`Organization ${orgId} does not exist`)
    if (options.status) return await showMove(stores, orgId, from)
    const known = await findMoveUnderWay(stores.directory)
    if (known && known.org_id !== orgId) {
      throw new CommandError(
        `Organization ${known.org_id} moves to ${known.target}; complete that first`,
      )
    }
    if (options.cancel) {
      if (!known) throw new CommandError('The organization does not move')
      await cancelMove(await optionsOf(io, context, known, options))
      return {
        json: { org_id: orgId, cell: known.source, moved: false },
        lines: [`The organization stays in ${known.source}`],
      }
    }
    const { to } = options
    if (to === undefined) throw new CommandError('Name the cell with --to')
    if (known && known.target !== to) {
      throw new CommandError(
        `The organization moves to ${known.target}. Complete that, or give up with --cancel`,
      )
    }
    if (!known && from === to) {
      return {
        json: { org_id: orgId, cell: to, moved: false },
        lines: [`The organization is in ${to}`],
      }
    }
    const move = known ?? (await beginMove(stores, { org_id: orgId, source: from, target: to }))
    const moved = await moveOrganization(await optionsOf(io, context, move, options))
    return {
      json: { org_id: orgId, cell: to, moved: true, from: move.source, ...moved },
      lines: [
        `Organization ${orgId} is in ${to}`,
        ...(moved.paused_ms === undefined ? [] : [`Writes waited for ${moved.paused_ms} ms`]),
      ],
    }
  })

async function showMove({ directory }: Stores, orgId: string, cell: string): Promise<Output> {
  const move = await findMoveUnderWay(directory)
  if (move?.org_id !== orgId) {
    return {
      json: { org_id: orgId, cell, move: null },
      lines: [`The organization is in ${cell} and does not move`],
    }
  }
  const { source, target, started_at, switched_at, verified_rows } = move
  const state = switched_at === null ? 'copying' : 'deleting'
  return {
    json: {
      org_id: orgId,
      cell,
      move: { source, target, state, started_at, switched_at, verified_rows },
    },
    lines: [
      `From ${source} to ${target} since ${started_at.toISOString()}: ${state}`,
      `${verified_rows} rows compared`,
    ],
  }
}

async function beginMove(
  { directory, newId, clock }: Stores,
  sides: Pick<MoveRow, 'org_id' | 'source' | 'target'>,
): Promise<MoveRow> {
  const cell = (await listCells(directory)).find(({ name }) => name === sides.target)
  if (!cell) throw new CommandError(`Cell ${sides.target} does not exist`)
  // A node that does not know the cell could not serve the organization.
  if (!cell.is_open && cell.organizations === 0) {
    throw new CommandError(
      `Restart all nodes, so that they know ${sides.target}, and open it with \`vigil cell drain ${sides.target} --undo\``,
    )
  }
  await insertMove(directory, { ...sides, id: newId(clock.now()) })
  const move = await findMoveUnderWay(directory)
  if (move?.org_id === sides.org_id && move.target === sides.target) return move
  throw new CommandError('Another organization moves')
}

async function optionsOf(
  io: Io,
  { config, stores }: Context,
  move: MoveRow,
  { pause, settle }: MoveCommand,
) {
  const { directory, clock, log } = stores
  const prepared_statements = config.postgres_prepared_statements
  await requireSession({ server: stores.server, pool_size: 1, prepared_statements, log })
  const name = await nameOf(stores, move.org_id)
  return {
    directory,
    clock,
    move,
    name,
    source: await sideOf(stores, move.source),
    target: await sideOf(stores, move.target),
    pause_seconds: pause,
    settle_seconds: settle,
    progress: io.stderr,
    applyChanges: async () => await applyDirectoryChanges(directory, directory),
  }
}

async function nameOf({ server }: Stores, orgId: string): Promise<string> {
  const client = await openConnection(server, CONNECTION_NAME)
  try {
    return (await findName(client, orgId)) ?? ''
  } finally {
    await client.end()
  }
}

async function sideOf({ server, cells }: Stores, name: string): Promise<MoveSide> {
  if (name === MAIN_CELL) {
    return {
      is_directory: true,
      connect: async () => await openConnection(server, CONNECTION_NAME),
    }
  }
  const cell = cells.find((each) => each.name === name)
  if (!cell) throw new CommandError(`Cell ${name} does not exist`)
  await cell.usable()
  return {
    is_directory: false,
    connect: async () => await openConnection(cell.server, CONNECTION_NAME, cell.schema),
  }
}
