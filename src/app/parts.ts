/** Creates the parts of the product, and passes them each other's services. */
import { type AccountsPart, createAccountsPart } from './accounts.ts'
import { createBackupsPart } from './backups.ts'
import { createConsolePart } from './console.ts'
import type { Core } from './core.ts'
import { createDevicesPart, type DevicesPart } from './devices.ts'
import { createFraudPart, type FraudPart } from './fraud.ts'
import { createInstallationPart } from './installation.ts'
import type { Part } from './part.ts'
import { createPushPart, type PushPart } from './push.ts'
import { createTelemetryPart, type TelemetryPart } from './telemetry.ts'
import { createWebhooksPart, type WebhooksPart } from './webhooks.ts'

export type Parts = {
  installation: Part
  backups: Part
  accounts: AccountsPart
  webhooks: WebhooksPart
  fraud: FraudPart
  telemetry: TelemetryPart
  devices: DevicesPart
  push: PushPart
  console: Part
}

export async function createParts(core: Core): Promise<Parts> {
  const accounts = await createAccountsPart(core)
  const webhooks = createWebhooksPart(core)
  const { hint } = webhooks
  const { billing } = accounts
  const parts = {
    // First, so that its gauges show the pool before the other gauges use it.
    installation: createInstallationPart(core),
    backups: createBackupsPart(core),
    accounts,
    webhooks,
    fraud: createFraudPart(core, { accounts: accounts.accounts, billing, hint }),
    telemetry: createTelemetryPart(core, { billing }),
    devices: createDevicesPart(core, { accounts: accounts.accounts }),
    push: createPushPart(core),
    console: createConsolePart(core, accounts),
  }
  for (const { gauges = [] } of partsInOrder(parts)) {
    for (const gauge of gauges) core.metrics.addGauges(gauge)
  }
  return parts
}

export type Services = ReturnType<typeof servicesOf>

/** All services in one object, for the demo and for tests, which call them directly. */
export const servicesOf = (parts: Parts) => ({
  ...parts.accounts,
  ...parts.webhooks,
  ...parts.fraud,
  telemetry: parts.telemetry,
  device_management: parts.devices,
  push: parts.push,
})

/** Routes are registered in this order: the request log only records routes that follow it. */
export const partsInOrder = (parts: Parts): readonly Part[] => Object.values(parts)
