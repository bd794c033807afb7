/** Registrations of phones for push, with different tokens and registration ids. */
import { hash } from 'node:crypto'
import type { LoadRequest } from './load-request.ts'

export const APPLICATION_ID = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'

export function registrationRequest(number: number): LoadRequest {
  const { hex, token } = tokenOf(number)
  const registration_id = hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
  const body = JSON.stringify({
    application_id: APPLICATION_ID,
    registration_id,
    platform: 'android',
    token,
    permission: 'granted',
    locale: 'de-CH',
    app_version: `2.1.${number}`,
    time_zone: 'Europe/Zurich',
  })
  return {
    path: '/sdk/push/subscriptions',
    body,
    echo: `"app_version":"2.1.${number}"`,
    organization: 0,
  }
}

/** A line of an import. */
export const importedSubscription = (number: number): object => ({
  platform: 'android',
  token: tokenOf(number).token,
  external_user_id: `customer-${number}`,
  permission: 'granted',
  locale: 'de-CH',
  app_version: '2.1.0',
  time_zone: 'Europe/Zurich',
})

function tokenOf(number: number): { hex: string; token: string } {
  const hex = hash('sha256', String(number))
  return { hex, token: `${hex.slice(0, 22)}:APA91b${hex}${hex}` }
}
