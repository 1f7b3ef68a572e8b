// A certified OpenID Connect provider on loopback, for tests: `node oidc-provider.mjs UNIX_MS` prints its port. It signs in whoever
// `POST /control` names, without asking, by a clock that stands still.
//
// Control, all optional: app (address of pharos), names (of the provider there), account (claims of the person), now (Unix milliseconds), rotate (a new key),
// tamper (claims that replace those of the next ID tokens; null takes one away), sign ("other" key, "none" or "HS256"),
// answers ({path: {status, body, hang}} instead of the provider's own), userinfo (claims are only there),
// logout ({sub, sid}: a back-channel logout). It answers the last session ID, how often each path was asked, and the last tokens.
import { createHmac, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import http from 'node:http'
import { Provider } from 'oidc-provider'

let now = Number(process.argv[2])
Date.now = () => now
// What it says of its defaults; nobody reads standard output behind the port.
console.info = () => {}

const newKey = () => ({ kid: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) })
const state = {
    app: 'http://127.0.0.1:9', account: { sub: 'nobody' }, tamper: null, sign: 'own', answers: {}, userinfo: false,
    names: ['test', 'second'], key: newKey(), other: newKey(), asked: {}, sid: null, tokens: [], port: 0, handle: null,
}
const accounts = new Map()

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const sign = (claims) => {
    const algorithm = state.sign === 'none' || state.sign === 'HS256' ? state.sign : 'RS256'
    const key = state.sign === 'other' ? state.other : state.key
    const signed = `${encode({ alg: algorithm, kid: state.key.kid })}.${encode(claims)}`
    if (algorithm === 'none') return `${signed}.`
    if (algorithm === 'HS256') {
        const secret = state.key.publicKey.export({ type: 'spki', format: 'pem' })
        return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
    }
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key.privateKey).toString('base64url')}`
}

const rewrite = (token) => {
    const claims = { ...JSON.parse(Buffer.from(token.split('.')[1], 'base64url')), ...state.tamper }
    for (const name of Object.keys(claims)) if (claims[name] === null) delete claims[name]
    return sign(claims)
}

const issuer = () => `http://127.0.0.1:${state.port}`

const makeProvider = () => {
    const provider = new Provider(issuer(), {
        clients: [{
            client_id: 'pharos', client_secret: 'a secret: with / signs', grant_types: ['authorization_code'], response_types: ['code'],
            redirect_uris: state.names.map((name) => `${state.app}/api/auth/oidc/${name}/callback`),
            backchannel_logout_uri: `${state.app}/api/auth/oidc/test/logout`, backchannel_logout_session_required: true,
        }],
        jwks: { keys: [{ ...state.key.privateKey.export({ format: 'jwk' }), kid: state.key.kid, use: 'sig', alg: 'RS256' }] },
        features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
        claims: { openid: ['sub', 'sid'], email: ['email', 'email_verified'], profile: ['name', 'groups', 'realm_access'] },
        conformIdTokenClaims: state.userinfo,
        cookies: { keys: ['of tests'] },
        // Its own way out refuses addresses of this machine.
        fetch: (url, { dispatcher, ...options }) => fetch(url, options),
        pkce: { required: () => true },
        findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) }),
        interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
        loadExistingGrant: async (ctx) => {
            const { client, session } = ctx.oidc
            const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
            grant.addOIDCScope('openid email profile')
            await grant.save()
            return grant
        },
    })
    provider.use(async (ctx, next) => {
        if (ctx.path.startsWith('/interaction/')) {
            await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: state.account.sub } }, { mergeWithLastSubmission: false })
            ctx.respond = false
            return
        }
        await next()
        if (ctx.path !== '/token' || !ctx.body?.id_token) return
        state.sid = JSON.parse(Buffer.from(ctx.body.id_token.split('.')[1], 'base64url')).sid ?? state.sid
        if (state.tamper || state.sign !== 'own') ctx.body = { ...ctx.body, id_token: rewrite(ctx.body.id_token) }
        state.tokens = [ctx.body.id_token, ctx.body.access_token]
    })
    provider.on('server_error', (_, error) => console.error(error))
    state.provider = provider
    state.handle = provider.callback()
}

const control = async (body) => {
    for (const name of ['app', 'names', 'account', 'tamper', 'sign', 'answers', 'userinfo']) if (name in body) state[name] = body[name]
    if ('now' in body) now = body.now
    if (body.account) accounts.set(body.account.sub, body.account)
    if (body.rotate) state.key = newKey()
    if (body.app || body.rotate || 'userinfo' in body) makeProvider()
    if (body.logout) {
        const client = await state.provider.Client.find('pharos')
        await client.backchannelLogout(body.logout.sub, body.logout.sid)
    }
    const token = body.token ? sign(body.token) : null
    return { sid: state.sid, asked: state.asked, tokens: state.tokens, token }
}

const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, issuer())
    if (pathname === '/control') {
        let text = ''
        request.on('data', (part) => { text += part })
        request.on('end', () => control(JSON.parse(text)).then(
            (told) => response.setHeader('content-type', 'application/json').end(JSON.stringify(told)),
            (error) => { response.statusCode = 500; response.end(`${error.stack} ${error.cause?.stack}`) },
        ))
        return
    }
    state.asked[pathname] = (state.asked[pathname] ?? 0) + 1
    const instead = state.answers[pathname]
    if (instead?.hang) return
    if (instead) {
        response.statusCode = instead.status ?? 200
        response.setHeader('content-type', 'application/json').end(instead.body)
        return
    }
    state.handle(request, response)
})
server.listen(0, '127.0.0.1', () => {
    state.port = server.address().port
    makeProvider()
    console.log(state.port)
})
