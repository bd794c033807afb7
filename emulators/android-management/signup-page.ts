/** The page of a sign-up URL, on which an administrator consents and is redirected back. */

import { ApiError } from '../google-errors.ts'
import type { HttpReply, HttpRequest } from '../http-server.ts'
import type { Core } from './core.ts'
import { completeSignup, getSignup } from './enterprises.ts'

export const SIGNUP_PREFIX = '/signup/'

/** @param path without query */
export function callSignup(core: Core, request: HttpRequest, path: string): HttpReply {
  const id = path.slice(SIGNUP_PREFIX.length)
  const signup = getSignup(core, id)
  if (request.method === 'POST') {
    const name = new URLSearchParams(request.body).get('display_name') ?? undefined
    return { status: 303, headers: { location: completeSignup(core, id, name) } }
  }
  if (request.method !== 'GET') {
    throw new ApiError('NOT_FOUND', 'The sign-up page accepts GET and POST.')
  }
  const host = new URL(signup.callback_url).host
  return {
    status: 200,
    // Google's page cannot be shown in a frame either.
    headers: { 'content-type': 'text/html; charset=utf-8', 'x-frame-options': 'DENY' },
    text: html(escapeHtml(host), escapeHtml(signup.display_name ?? '')),
  }
}

const html = (host: string, name: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Set up Android management</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: #f3f4f6; color: #111827 }
main { max-width: 26rem; margin: 10vh auto; padding: 1.5rem; background: #fff; border-radius: .5rem }
h1 { font-size: 1.25rem }
label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit }
input { margin: .25rem 0 1rem; padding: .5rem; border: 1px solid #6b7280; border-radius: .25rem }
button { padding: .6rem; border: 0; border-radius: .25rem; background: #1d4ed8; color: #fff }
p { color: #4b5563 }
</style>
</head>
<body>
<main>
<h1>Set up Android management for ${host}</h1>
<p>This is an emulator. Nothing is sent to Google.</p>
<form method="post">
<label for="display_name">Name of the organization</label>
<input id="display_name" name="display_name" maxlength="100" value="${name}" autocomplete="organization">
<button type="submit">Agree and return</button>
</form>
</main>
</body>
</html>
`

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
