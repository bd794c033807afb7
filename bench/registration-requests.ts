/** Registrations of phones for push, with different tokens and registration ids. */
import { hash } from 'node:crypto'
import type { LoadRequest } from './load-request.ts'

export const APPLICATION_ID = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'

export function registrationRequest(number: number): LoadRequest {
  const hex = hash('sha256', String(number))
  const registration_id = hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
  const body = JSON.stringify({
    application_id: APPLICATION_ID,
    registration_id,
    platform: 'android',
    token: `${hex.slice(0, 22)}:APA91b${hex}${hex}`,
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
