//! What must be refused and what must pass, side by side.
//!
//! No credential is spelled out here: an example is a template whose random
//! part is made when the test runs, so that no scanner trips over this file.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::formats::FORMATS;
use super::*;

/// Fills a template: `{a36}` becomes 36 letters and digits, `{h}` hex, `{d}`
/// digits, `{u}` upper-case letters and 2 to 7, `{U}` upper-case letters and
/// digits, `{l}` lower-case letters and digits, `{w}` also `_` and `-`.
fn fill(template: &str) -> String {
    let mut state = 0x9e37_79b9_u32;
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let (slot, tail) = after.split_once('}').expect("a slot is closed");
        let (class, count) = slot.split_at(1);
        let alphabet: &[u8] = match class {
            "a" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "h" => b"0123456789abcdef",
            "d" => b"123456789",
            "u" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "U" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            "l" => b"abcdefghijklmnopqrstuvwxyz0123456789",
            "w" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
            other => panic!("no class {other}"),
        };
        for _ in 0..count.parse::<usize>().expect("a slot has a count") {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            out.push(char::from(
                alphabet[(state >> 16) as usize % alphabet.len()],
            ));
        }
        rest = tail;
    }
    out + rest
}

const REFUSED: &[(&str, &str)] = &[
    (
        "private_key",
        "-----BEGIN RSA PRIVATE KEY-----\n{a64}\n{a64}\n-----END RSA PRIVATE KEY-----",
    ),
    (
        "private_key",
        "-----BEGIN OPENSSH PRIVATE KEY-----\r\n{a64}",
    ),
    (
        "private_key",
        "\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{a64}\\n",
    ),
    (
        "private_key",
        "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{h32}\n\n{a64}",
    ),
    (
        "private_key",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n{a64}",
    ),
    (
        "putty_private_key",
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none",
    ),
    ("age_secret_key", "AGE-SECRET-KEY-1{U58}"),
    ("age_plugin_identity", "AGE-PLUGIN-YUBIKEY-1{U48}"),
    ("aws_access_key_id", "the key is AKIA{u16}, keep it"),
    ("aws_access_key_id", "密钥AKIA{u16}。"),
    ("aws_secret_access_key", "aws_secret_access_key = {a40}"),
    (
        "aws_secret_access_key",
        "\"AWS_SECRET_ACCESS_KEY\": \"{a40}\"",
    ),
    ("google_api_key", "key=AIza{a35}"),
    ("google_oauth_client_secret", "GOCSPX-{w28}"),
    ("google_access_token", "ya29.{w60}"),
    ("google_refresh_token", "refresh 1//0{w60}"),
    (
        "azure_storage_key",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={a86}==",
    ),
    (
        "azure_shared_access_key",
        "SharedAccessKeyName=root;SharedAccessKey={a43}=",
    ),
    ("azure_client_secret", "secret {a3}8Q~{a34}"),
    ("alibaba_access_key_id", "LTAI{a20}"),
    ("tencent_secret_id", "AKID{a32}"),
    ("digitalocean_token", "dop_v1_{h64}"),
    ("heroku_api_key", "HRKU-{w36}"),
    ("cloudflare_api_token", "cfut_{a48}"),
    ("cloudflare_origin_ca_key", "v1.0-{h24}-{h146}"),
    ("vercel_token", "vcp_{a56}"),
    ("netlify_token", "nfp_{a36}"),
    ("fly_token", "fo1_{w43}"),
    ("fly_token", "FlyV1 fm2_{a80}"),
    ("render_api_key", "rnd_{a32}"),
    ("supabase_key", "sbp_{h40}"),
    ("planetscale_token", "pscale_tkn_{a43}"),
    ("neon_api_key", "napi_{l64}"),
    ("tailscale_key", "tskey-auth-{a16}-{a32}"),
    ("pulumi_token", "pul-{h40}"),
    ("terraform_cloud_token", "{a14}.atlasv1.{a67}"),
    ("vault_token", "hvs.{w90}"),
    ("doppler_token", "dp.st.dev_backend.{a43}"),
    ("doppler_token", "dp.pt.{a43}"),
    ("onepassword_service_token", "ops_eyJ{a120}"),
    ("github_token", "ghp_{a36}"),
    (
        "github_token",
        "git push https://x:gho_{a36}@github.com/acme/shop",
    ),
    ("github_fine_grained_token", "github_pat_{a22}_{a59}"),
    ("gitlab_token", "glpat-{w20}"),
    ("gitlab_token", "gldt-{w20}"),
    ("gitlab_runner_registration", "GR1348941{w20}"),
    ("bitbucket_app_password", "ATBB{a32}"),
    ("atlassian_api_token", "ATATT3{w180}={U8}"),
    ("npm_token", "npm_{a36}"),
    ("pypi_token", "pypi-AgEIcHlwaS5vcmc{w70}"),
    ("crates_io_token", "cargo login cio{a32}"),
    ("rubygems_key", "rubygems_{h48}"),
    ("nuget_key", "oy2{l43}"),
    ("docker_token", "dckr_pat_{w27}"),
    ("jfrog_api_key", "AKCp{a69}"),
    ("sourcegraph_token", "sgp_{h16}_{h40}"),
    ("buildkite_token", "bkua_{h40}"),
    ("circleci_token", "CCIPAT_{a22}_{h40}"),
    ("slack_token", "xoxb-{d12}-{d12}-{a24}"),
    ("slack_app_token", "xapp-1-A{U10}-{d13}-{h64}"),
    (
        "slack_webhook",
        "https://hooks.slack.com/services/T{U8}/B{U10}/{a24}",
    ),
    ("discord_token", "MT{a24}.{a6}.{a38}"),
    (
        "discord_webhook",
        "https://discord.com/api/webhooks/{d18}/{w68}",
    ),
    (
        "teams_webhook",
        "https://acme.webhook.office.com/webhookb2/{h36}@{h36}/IncomingWebhook/{h32}/{h36}",
    ),
    ("telegram_bot_token", "{d10}:AA{w32}x"),
    ("stripe_key", "sk_live_{a24}"),
    ("stripe_key", "rk_test_{a24}"),
    ("webhook_signing_secret", "whsec_{a32}"),
    ("square_token", "sq0csp-{w43}"),
    ("square_access_token", "EAAAl{w58}x"),
    (
        "paypal_braintree_token",
        "access_token$production${l16}${h32}",
    ),
    ("shopify_token", "shpat_{h32}"),
    ("anthropic_key", "sk-ant-api03-{w90}"),
    ("openai_project_key", "sk-proj-{w60}"),
    ("openai_key", "export KEY=sk-{a48}"),
    ("openrouter_key", "sk-or-v1-{h64}"),
    ("langfuse_key", "sk-lf-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("hugging_face_token", "hf_{a34}"),
    ("replicate_token", "r8_{a37}"),
    ("groq_key", "gsk_{a52}"),
    ("perplexity_key", "pplx-{a48}"),
    ("xai_key", "xai-{a80}"),
    ("nvidia_key", "nvapi-{w64}"),
    ("together_key", "tgp_v1_{w43}"),
    ("cerebras_key", "csk-{l48}"),
    ("elevenlabs_key", "sk_{h48}"),
    ("tavily_key", "tvly-dev-{a32}"),
    ("firecrawl_key", "fc-{h32}"),
    ("langsmith_key", "lsv2_pt_{h32}_{h10}"),
    ("e2b_key", "e2b_{h40}"),
    ("pinecone_key", "pcsk_{a6}_{a60}"),
    ("jina_key", "jina_{h32}{w28}"),
    ("mem0_key", "MEM0_API_KEY=m0-{a40}"),
    ("zero_memory_token", "tok_{h64}"),
    ("sendgrid_key", "SG.{w22}.{w43}"),
    ("mailgun_key", "api:key-{h32}"),
    ("mailchimp_key", "{h32}-us12"),
    ("brevo_key", "xkeysib-{h64}-{a16}"),
    ("resend_key", "re_{a8}_{a24}"),
    ("twilio_api_key", "SK{h32}"),
    ("databricks_token", "dapi{h32}-2"),
    ("grafana_token", "glsa_{a32}_{h8}"),
    ("grafana_token", "glc_{a60}"),
    ("grafana_legacy_key", "eyJrIjoi{a80}"),
    ("new_relic_key", "NRAK-{U27}"),
    ("sentry_token", "sntrys_eyJ{a90}"),
    ("dynatrace_token", "dt0c01.{U24}.{U64}"),
    ("posthog_key", "phx_{a44}"),
    ("honeycomb_key", "hcaik_{l58}"),
    ("notion_token", "ntn_{a46}"),
    ("notion_token", "secret_{a43}"),
    ("linear_key", "lin_api_{a40}"),
    ("figma_token", "figd_{w40}"),
    ("airtable_token", "pat{a14}.{h64}"),
    ("postman_key", "PMAK-{h24}-{h34}"),
    ("hubspot_token", "pat-eu1-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("contentful_token", "CFPAT-{w43}"),
    ("dropbox_token", "sl.u.{w140}"),
    ("asana_token", "1/{d16}:{h32}"),
    ("mapbox_secret_token", "sk.eyJ{a60}.{w22}"),
    ("json_web_token", "eyJhbGciOiJIUzI1NiJ9.eyJ{a30}.{w43}"),
    ("url_password", "postgres://app:{a12}@db.internal:5432/shop"),
    ("url_password", "redis://:{a12}@cache:6379/0"),
    ("url_password", "见https://deploy:{a10}@git.acme.dev/x。"),
    ("go_dsn_password", "shop:{a12}@tcp(db:3306)/shop"),
    (
        "dsn_password",
        "Server=db;Database=shop;User Id=sa;Password={a12};",
    ),
    (
        "dsn_password",
        "host=db user=app password={a12} dbname=shop",
    ),
    (
        "url_query_credential",
        "curl https://api.acme.dev/v1?api_key={a32}",
    ),
    (
        "url_query_credential",
        "open http://127.0.0.1:8787/#token={a32}",
    ),
    (
        "url_query_credential",
        "https://acme.dev/reset?reset_token={h32}",
    ),
    (
        "url_query_credential",
        "https://b.s3.amazonaws.com/k?X-Amz-Signature={h64}",
    ),
    ("authorization_header", "-H 'Authorization: Bearer {a20}'"),
    (
        "authorization_header",
        "\"Authorization\": \"Basic {a20}==\"",
    ),
    ("bearer_token", "sent with bearer {a40}"),
    ("key_header", "x-api-key: {a24}"),
    ("key_header", "PRIVATE-TOKEN: {a20}"),
    ("key_header", "\"DD-API-KEY\": \"{h32}\""),
    ("session_cookie", "Cookie: theme=dark; session_id={a32}"),
    (
        "session_cookie",
        "Set-Cookie: connect.sid=s%3A{a40}; Path=/",
    ),
    ("vendor_variable", "CLOUDFLARE_API_TOKEN={w40}"),
    ("vendor_variable", "snowflake_user_password: {a20}"),
    ("npmrc_auth_token", "//registry.acme.dev/:_authToken={a36}"),
    (
        "netrc_password",
        "machine git.acme.dev login ci password {a16}",
    ),
    (
        "curl_user_password",
        "curl -s -u admin:{a12} https://acme.dev",
    ),
];

const PASSES: &[&str] = &[
    "",
    "The payment service retries twice.",
    // Hashes and ids.
    "fixed in {h40}, see {h7}",
    "sha256:{h64}",
    "sha256 {h64}  dist.tar.gz",
    "integrity sha512-{a86}==",
    "{h8}-{h4}-4{h3}-a{h3}-{h12}",
    "mem_01k0000000000000000000000a thr_01k0000000000000000000000c",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "ETag: \"{h32}\"",
    "cache-key-{h32}",
    "task-{a32} and disk-{h32} and risk-{a40}",
    "commit message: sk-learn and sk-circle stay",
    // People and places.
    "write to jane.doe+ci@example.com or ops@acme.dev",
    "ssh git@github.com:acme/shop.git",
    "https://github.com/acme/shop.git and ssh://git@host:2222/acme/shop",
    "http://localhost:8787/mcp and http://[::1]:8787/@scope",
    "https://example.com:443/@user/post",
    "https://medium.com/@someone:else@here",
    "https://example.com/list?page_token={a40}&next_token={a40}",
    "https://example.com/v?v={a32}&id={h32}",
    // Blanks to fill in.
    "use sk-... or sk-ant-... as the key",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-your-api-key-goes-here-0123456789abcdef0123",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer ${ZERO_MEMORY_TOKEN}",
    "Authorization: Bearer YOUR_ACCESS_TOKEN_2024",
    "the header is Authorization: Bearer followed by the token",
    "Authorization: Basic authentication is off",
    "a bearer token that identifies the caller to the server",
    "x-api-key: <key>",
    "x-api-key: ${API_KEY_2}",
    "curl https://api.acme.dev?api_key=YOUR_API_KEY_HERE_1",
    "curl https://api.acme.dev?token=${TOKEN}&api_key={api_key}",
    "https://acme.dev/cb?access_token=<token>",
    "postgres://user:password@localhost/db",
    "postgres://postgres:postgres@localhost:5432/test",
    "postgres://user:pass@host, mysql://root:root@db, amqp://guest:guest@mq",
    "postgres://user:xxx@host postgres://user:***@host postgres://u:******@h",
    "postgres://user:${DB_PASSWORD}@host postgres://user:$PGPASSWORD@host",
    "postgres://{user}:{password}@{host}/{db} and mysql://<user>:<password>@<host>/x",
    "redis://:password@localhost:6379",
    "Server=db;User Id=sa;Password=<password>;",
    "host=localhost user=postgres password=postgres",
    "curl -u user:password https://acme.dev and curl -u \"$USER:$PASS\" x",
    "aws_secret_access_key = <secret>",
    "AWS_SECRET_ACCESS_KEY=$(pass show aws)",
    "DD_API_KEY=process_env_datadog_api_key",
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "cookie: the session cookie lasts a day",
    "Cookie: session=<id>",
    // Code and prose about keys.
    "if line.starts_with(\"-----BEGIN RSA PRIVATE KEY-----\") { return Err(Secret); }",
    "the file starts with -----BEGIN PRIVATE KEY----- and then base64",
    "-----BEGIN CERTIFICATE-----\n{a64}\n{a64}\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n{a64}",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{a43} jane@laptop",
    "age1{l58}",
    "pub fn find(text: &str) -> Option<Finding> { text.len() }",
    "const token = await getToken({ secret: process.env.AUTH_SECRET });",
    "let api_key = std::env::var(\"API_KEY\")?;",
    "s.someIdentifierOfLength24 = SG.build.run",
    "the GitHub prefixes are ghp_, gho_, ghu_, ghs_ and github_pat_",
    "hf_hub_download(repo_id) and npm_config_registry and re_export_everything_from_here",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB{a400}+/EAAA{a80}/AIza{a60}",
    "重跑gen-itgc后，密码保存在保险库里",
    "密码：请到保险库里取 🔑",
    "trace 00-{h32}-{h16}-01",
    "arn:aws:iam::123456789012:role/deploy and AIDA{u16}",
    "phone 0123456789:AB, ratio 12345678:AA",
    "eyJhbGciOiJIUzI1NiJ9 is the header of a token",
    "m0-model and fc-25 and key-value and pat-riot",
];

#[test]
fn credentials_are_found_by_format_and_hardly_shown() {
    for (name, template) in REFUSED {
        for text in [
            fill(template),
            format!("Note:\n{} — see above", fill(template)),
            format!("({})", fill(template)),
        ] {
            let finding = find(&text).unwrap_or_else(|| panic!("{name} is missed in {text}"));
            let format = FORMATS
                .iter()
                .find(|format| format.name == *name)
                .expect("the example names a format");
            assert!(
                find_format(&text, format, &compile(format)).is_some(),
                "{name} itself misses {text}"
            );
            assert!(
                finding.shown.chars().count() <= 6,
                "{} is too long",
                finding.shown
            );
            assert!(text[finding.start..].starts_with(&finding.shown));
        }
    }
}

#[test]
fn ordinary_text_passes() {
    for template in PASSES {
        let text = fill_or_verbatim(template);
        assert_eq!(find(&text), None, "in {text}");
    }
}

/// Braces that are no slot belong to the text.
fn fill_or_verbatim(template: &str) -> String {
    let slot = Regex::new(r"\{([ahduUlw])([0-9]+)\}").expect("it compiles");
    let filled = slot.replace_all(template.as_bytes(), |captures: &Captures<'_>| {
        fill(&String::from_utf8_lossy(&captures[0])).into_bytes()
    });
    String::from_utf8(filled.into_owned()).expect("it stays UTF-8")
}

#[test]
fn every_format_has_an_example_and_every_example_a_format() {
    let formats: BTreeSet<&str> = FORMATS.iter().map(|format| format.name).collect();
    let examples: BTreeSet<&str> = REFUSED.iter().map(|(name, _)| *name).collect();
    assert_eq!(formats, examples);
    assert_eq!(formats.len(), FORMATS.len(), "a name stands twice");
    assert!(formats.len() >= 40);
}

#[test]
fn the_key_of_the_contract_example_is_refused() {
    let text = format!("The key is AKIA{}, keep it.", "IOSFODNN7EXAMPLE");
    let finding = find(&text).expect("it is a credential");
    assert_eq!(
        (finding.format, finding.start, finding.shown.as_str()),
        ("aws_access_key_id", 11, "AKIAIO")
    );
}

#[test]
fn a_placed_credential_shows_its_place_and_not_its_value() {
    let finding = find(&fill("postgres://app:{a12}@db/shop")).expect("it is a credential");
    assert_eq!((finding.start, finding.shown.as_str()), (0, "postgr"));
}

#[test]
fn a_blank_does_not_hide_the_credential_after_it() {
    let text = format!("ghp_{} then {}", "x".repeat(36), fill("ghp_{a36}"));
    assert_eq!(find(&text).map(|finding| finding.start), Some(46));
}

#[test]
fn long_hostile_texts_are_scanned_in_linear_time() {
    let unit = 64 * 1024;
    let texts = [
        "a".repeat(unit),
        "eyJ".repeat(unit / 3),
        "eyJaaaaaaaaaaaa.".repeat(unit / 16),
        "://".repeat(unit / 3),
        "a://b:".repeat(unit / 6),
        "a://b:c@".repeat(unit / 8),
        "-----BEGIN PRIVATE KEY-----".repeat(unit / 27),
        "authorization: bearer ".repeat(unit / 22),
        "cookie: ".repeat(unit / 8),
        "host=a ".repeat(unit / 7),
        "curl -u ".repeat(unit / 8),
        "密".repeat(unit / 3),
        fill_or_verbatim("{a65536}"),
        fill_or_verbatim("{h65536}"),
        fill_or_verbatim("{w65536}"),
    ];
    find("the scanner is built once, outside the measured time");
    for text in texts {
        let start = Instant::now();
        find(&text);
        // Unoptimised code on a shared machine; quadratic work would take
        // minutes.
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{:?} for {}…",
            start.elapsed(),
            &text[..char_boundary(&text, 20)]
        );
    }
}
