/** The ordinary lines of each kind of device, and those of a printer that gets new firmware. */
import type { Random } from '../../src/platform/random.ts'
import { type DeviceKind, type EdgeDevice, FIRMWARE } from './fleet.ts'
import type { LogEntry } from './logs.ts'

type Line = {
  level: LogEntry['level']
  category: string
  weight: number
  message: (random: Random) => string
  data?: (random: Random) => Record<string, unknown>
}

const cents = (random: Random) => (random.integer(150, 9_900) / 100).toFixed(2)

const saleOf = (random: Random) => {
  const items = random.integer(1, 18)
  const prices = Array.from({ length: items }, () => random.integer(79, 799))
  const sum = prices.reduce((total, price) => total + price, 0)
  return `Sale completed, ${items} items, ${(sum / 100).toFixed(2)}`
}

const HEARTBEAT: Line = {
  level: 'debug',
  category: 'heartbeat',
  weight: 5,
  message: () => 'Heartbeat',
  data: (random) => ({
    uptime_h: random.integer(1, 700),
    memory_percent: random.integer(31, 78),
    temperature_c: random.integer(28, 52),
  }),
}

const LINES: Readonly<Record<DeviceKind, readonly Line[]>> = {
  till: [
    HEARTBEAT,
    {
      level: 'info',
      category: 'sale',
      weight: 9,
      message: saleOf,
    },
    {
      level: 'info',
      category: 'drawer',
      weight: 3,
      message: (random) => `Drawer opened for ${random.integer(2, 19)} s`,
    },
    { level: 'info', category: 'session', weight: 1, message: () => 'Cashier signed in by badge' },
    {
      level: 'warn',
      category: 'scanner',
      weight: 0.6,
      message: (random) => `Barcode read after ${random.integer(3, 7)} attempts`,
    },
    {
      level: 'warn',
      category: 'sync',
      weight: 0.3,
      message: (random) => `Price list is ${random.integer(2, 9)} hours old`,
    },
    {
      level: 'error',
      category: 'scanner',
      weight: 0.02,
      message: () => 'Scanner disconnected from USB port 2',
    },
  ],
  printer: [
    HEARTBEAT,
    {
      level: 'info',
      category: 'printing',
      weight: 9,
      message: (random) =>
        `Receipt ${random.integer(10_000, 99_999)} printed in ${random.integer(310, 1_400)} ms`,
    },
    {
      level: 'warn',
      category: 'printing',
      weight: 0.5,
      message: (random) => `Paper low, ${random.integer(4, 12)} % left`,
    },
  ],
  terminal: [
    HEARTBEAT,
    {
      level: 'info',
      category: 'payment',
      weight: 8,
      message: (random) => `Payment approved, ${cents(random)}, contactless`,
    },
    {
      level: 'info',
      category: 'payment',
      weight: 1,
      message: () => 'Payment declined by the issuer, code 05',
    },
    {
      level: 'warn',
      category: 'security',
      weight: 0.4,
      message: (random) => `Certificate of the acquirer ends in ${random.integer(9, 29)} days`,
    },
  ],
  scale: [
    HEARTBEAT,
    {
      level: 'info',
      category: 'weighing',
      weight: 6,
      message: (random) =>
        `Weighed ${random.integer(60, 3_200)} g, article ${random.integer(100, 999)}`,
    },
    {
      level: 'warn',
      category: 'weighing',
      weight: 0.3,
      message: () => 'Zero drifted by more than 2 g, tared again',
    },
  ],
}

export function ordinaryLine(random: Random, device: EdgeDevice, at: number): LogEntry {
  const line = random.weighted(LINES[device.kind], ({ weight }) => weight)
  return {
    device_id: device.id,
    level: line.level,
    message: line.message(random),
    timestamp: new Date(at).toISOString(),
    category: line.category,
    environment: 'production',
    ...(line.data && { data: line.data(random) }),
    tags: [device.shop_id],
  }
}

export function startLine(device: EdgeDevice, at: number): LogEntry[] {
  const { version, before } = FIRMWARE
  const messages = [
    `Firmware update ${before} to ${version} begins`,
    `Firmware ${version} installed, restarting`,
    `Started with firmware ${version}`,
  ]
  return messages.map((message, index) => ({
    device_id: device.id,
    level: 'info',
    message,
    timestamp: new Date(at + index * 45_000).toISOString(),
    category: 'firmware',
    environment: 'production',
    data: { firmware: index === 2 ? version : before },
    tags: [device.shop_id, 'update'],
  }))
}
