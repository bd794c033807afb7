import { describe, expect, it } from 'vitest'
import { createHostRule } from './hosts.ts'

const isKnown = createHostRule(['Vigil.Example', '192.0.2.1', 'node-1.internal.'])

describe('the Host header', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:8080',
    '203.0.113.7:443',
    '[::1]',
    '[2001:db8::7]:8080',
    'localhost',
    'LOCALHOST:8080',
    'vigil',
    'vigil:8080',
    'vigil.example',
    'VIGIL.example:443',
    'vigil.example.',
    'node-1.internal',
  ])('names the service: %s', (header) => {
    expect(isKnown(header)).toBe(true)
  })

  it.each([
    '',
    'evil.example',
    'evil.example:8080',
    'vigil.example.evil.example',
    'sub.vigil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '127.0.0.1@evil.example',
    'evil.example/127.0.0.1',
    '[vigil]',
    '[::1',
    '::1',
    'vigil.example:port',
    'vigil example',
  ])('is refused: %j', (header) => {
    expect(isKnown(header)).toBe(false)
  })
})
