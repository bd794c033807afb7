/** Creates the parts of the product, once for each cell, and passes them each other's services. */
import { type AccountsPart, createAccountsPart } from './accounts.ts'
import { createBackupsPart } from './backups.ts'
import type { Cell } from './cells.ts'
import { createConsolePart } from './console.ts'
import { type Core, coreOfCell } from './core.ts'
import { createDevicesPart, type DevicesPart } from './devices.ts'
import { createFraudPart, type FraudPart } from './fraud.ts'
import { gaugesOfCells } from './gauges.ts'
import { createInstallationPart } from './installation.ts'
import { createNotificationsPart } from './notifications.ts'
import type { Part } from './part.ts'
import { createPushPart, type PushPart } from './push.ts'
import { createTelemetryPart, type TelemetryPart } from './telemetry.ts'
import { createWebhooksPart, type WebhooksPart } from './webhooks.ts'

export type Parts = PartsOfCell & {
  /** Those of the cells other than the main one. */
  cells: readonly CellParts[]
}

export type PartsOfCell = {
  installation: Part
  backups: Part
  accounts: AccountsPart
  webhooks: WebhooksPart
  fraud: FraudPart
  telemetry: TelemetryPart
  devices: DevicesPart
  push: PushPart
  notifications: Part
  console: Part
}

export type CellParts = { cell: Cell; core: Core; parts: PartsOfCell }

export async function createParts(core: Core): Promise<Parts> {
  const main = await createPartsOfCell(core)
  const cells: CellParts[] = []
  for (const cell of core.cells) {
    const own = coreOfCell(core, cell)
    cells.push({ cell, core: own, parts: await createPartsOfCell(own) })
  }
  const others = cells.map(({ cell, parts }) => ({ cell: cell.name, parts: partsInOrder(parts) }))
  for (const gauge of gaugesOfCells(partsInOrder(main), others)) core.metrics.addGauges(gauge)
  return { ...main, cells }
}

async function createPartsOfCell(core: Core): Promise<PartsOfCell> {
  const accounts = await createAccountsPart(core)
  const webhooks = createWebhooksPart(core)
  const { hint } = webhooks
  const { billing } = accounts
  const push = createPushPart(core)
  return {
    // Routes, gauges and jobs follow this order. The gauges of the first show the pool before others use it.
    installation: createInstallationPart(core),
    backups: createBackupsPart(core),
    accounts,
    webhooks,
    fraud: createFraudPart(core, { accounts: accounts.accounts, billing, hint }),
    telemetry: createTelemetryPart(core, { billing }),
    devices: createDevicesPart(core, { accounts: accounts.accounts }),
    push,
    notifications: createNotificationsPart(core, { push }),
    console: createConsolePart(core, accounts),
  }
}

export type Services = ReturnType<typeof servicesOf>

/** All services of the main cell in one object, for the demo and for tests, which call them directly. */
export const servicesOf = (parts: Parts) => ({
  ...parts.accounts,
  ...parts.webhooks,
  ...parts.fraud,
  telemetry: parts.telemetry,
  device_management: parts.devices,
  push: parts.push,
})

/** Every part, in the order of their creation above: the request log only records routes that follow it. */
export function partsInOrder(parts: PartsOfCell & Partial<Pick<Parts, 'cells'>>): readonly Part[] {
  const { cells: _cells, ...own } = parts
  return Object.values(own)
}
