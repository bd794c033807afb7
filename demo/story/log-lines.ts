/** Ordinary log entries of each kind of device, and those of a printer that gets new firmware. */
import type { Random } from '../../src/platform/random.ts'
import { type DeviceKind, type EdgeDevice, FIRMWARE } from './fleet.ts'

export type LogEntry = {
  device_id: string
  level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  message: string
  timestamp: string
  category: string
  environment: string
  error?: { type: string; code?: string; stack?: string }
  data?: Record<string, unknown>
  tags?: string[]
  trace_id?: string
  span_id?: string
}

/** Level, category, weight and message */
type Line = [LogEntry['level'], string, number, (random: Random) => string]

const cents = (random: Random) => (random.integer(150, 9_900) / 100).toFixed(2)

const saleOf = (random: Random) => {
  const items = random.integer(1, 18)
  const prices = Array.from({ length: items }, () => random.integer(79, 799))
  const sum = prices.reduce((total, price) => total + price, 0)
  return `Sale completed, ${items} items, ${(sum / 100).toFixed(2)}`
}

const LINES: Readonly<Record<DeviceKind, readonly Line[]>> = {
  till: [
    ['debug', 'heartbeat', 5, () => 'Heartbeat'],
    ['info', 'sale', 9, saleOf],
    ['info', 'drawer', 3, (random) => `Drawer opened for ${random.integer(2, 19)} s`],
    ['info', 'session', 1, () => 'Cashier signed in by badge'],
    ['warn', 'scanner', 0.6, (random) => `Barcode read after ${random.integer(3, 7)} attempts`],
    ['warn', 'sync', 0.3, (random) => `Price list is ${random.integer(2, 9)} hours old`],
    ['error', 'scanner', 0.02, () => 'Scanner disconnected from USB port 2'],
  ],
  printer: [
    ['debug', 'heartbeat', 5, () => 'Heartbeat'],
    [
      'info',
      'printing',
      9,
      (random) =>
        `Receipt ${random.integer(10_000, 99_999)} printed in ${random.integer(310, 1_400)} ms`,
    ],
    ['warn', 'printing', 0.5, (random) => `Paper low, ${random.integer(4, 12)} % left`],
  ],
  terminal: [
    ['debug', 'heartbeat', 5, () => 'Heartbeat'],
    ['info', 'payment', 8, (random) => `Payment approved, ${cents(random)}, contactless`],
    ['info', 'payment', 1, () => 'Payment declined by the issuer, code 05'],
    [
      'warn',
      'security',
      0.4,
      (random) => `Certificate of the acquirer expires in ${random.integer(9, 29)} days`,
    ],
  ],
  scale: [
    ['debug', 'heartbeat', 5, () => 'Heartbeat'],
    [
      'info',
      'weighing',
      6,
      (random) => `Weighed ${random.integer(60, 3_200)} g, article ${random.integer(100, 999)}`,
    ],
    ['warn', 'weighing', 0.3, () => 'Zero drifted by more than 2 g, tared again'],
  ],
}

const vitals = (random: Random) => ({
  uptime_h: random.integer(1, 700),
  memory_percent: random.integer(31, 78),
  temperature_c: random.integer(28, 52),
})

export const entryOf = ({ id }: EdgeDevice, at: number) => ({
  device_id: id,
  timestamp: new Date(at).toISOString(),
  environment: 'production',
})

export function ordinaryLine(random: Random, device: EdgeDevice, at: number): LogEntry {
  const [level, category, , message] = random.weighted(LINES[device.kind], ([, , weight]) => weight)
  return {
    ...entryOf(device, at),
    level,
    category,
    message: message(random),
    ...(category === 'heartbeat' && { data: vitals(random) }),
    tags: [device.store_id],
  }
}

export function updateLines(device: EdgeDevice, at: number): LogEntry[] {
  const { version, before } = FIRMWARE
  const messages = [
    `Firmware update ${before} to ${version} begins`,
    `Firmware ${version} installed, restarting`,
    `Started with firmware ${version}`,
  ]
  return messages.map((message, index) => ({
    ...entryOf(device, at + index * 45_000),
    level: 'info',
    message,
    category: 'firmware',
    data: { firmware: index === 2 ? version : before },
    tags: [device.store_id, 'update'],
  }))
}
