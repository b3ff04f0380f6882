//! The transport over streams in memory: what is owed goes out, and a client
//! that does not read waits.

use std::pin::{Pin, pin};
use std::task::Poll;

use rmcp::model::ServerResult;
use tokio::io::{AsyncReadExt, BufReader, DuplexStream, duplex};

use super::*;

/// A transport, and the far ends of its streams.
struct Rig {
    lines: Lines<BufReader<DuplexStream>, DuplexStream>,
    input: DuplexStream,
    output: DuplexStream,
    ask: watch::Sender<bool>,
}

fn rig() -> Rig {
    let (input, reader) = duplex(1 << 20);
    let (writer, output) = duplex(1 << 20);
    let (ask, stop) = watch::channel(false);
    Rig {
        lines: Lines::new(BufReader::new(reader), writer, stop),
        input,
        output,
        ask,
    }
}

/// Returns what a future resolves to if it does so at once.
async fn at_once<F: Future>(mut future: Pin<&mut F>) -> Option<F::Output> {
    std::future::poll_fn(|context| {
        Poll::Ready(match future.as_mut().poll(context) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    })
    .await
}

impl Rig {
    async fn say(&mut self, id: usize) {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        self.input.write_all(line.as_bytes()).await.unwrap();
    }

    async fn answer(&mut self, id: i64) {
        let id = RequestId::Number(id);
        let answer = ServerJsonRpcMessage::response(ServerResult::empty(()), id);
        self.lines.send(answer).await.unwrap();
    }
}

#[tokio::test]
async fn an_answer_that_is_owed_goes_out_after_the_end_was_asked_for() {
    let mut rig = rig();
    rig.say(7).await;
    assert!(rig.lines.receive().await.is_some());
    rig.ask.send_replace(true);
    {
        let receive = pin!(rig.lines.receive());
        assert!(at_once(receive).await.is_none(), "it still waits");
    }
    rig.answer(7).await;
    assert!(rig.lines.receive().await.is_none(), "it is over");
    drop(rig.lines);
    let mut said = String::new();
    rig.output.read_to_string(&mut said).await.unwrap();
    assert!(said.contains("\"id\":7"), "{said}");
}

#[tokio::test]
async fn nothing_more_is_taken_on_after_the_end_was_asked_for() {
    let mut rig = rig();
    rig.ask.send_replace(true);
    rig.say(1).await;
    assert!(rig.lines.receive().await.is_none());
}

#[tokio::test]
async fn an_answer_that_never_comes_is_not_waited_for_for_ever() {
    let mut rig = rig();
    rig.say(7).await;
    assert!(rig.lines.receive().await.is_some());
    drop(rig.input);
    assert!(rig.lines.receive().await.is_none());
    assert_eq!(rig.lines.pending.count(), 1);
}

#[tokio::test]
async fn a_client_that_reads_no_answers_waits_with_its_next_request() {
    let mut rig = rig();
    for id in 0..=MAX_PENDING {
        rig.say(id).await;
    }
    for _ in 0..MAX_PENDING {
        assert!(rig.lines.receive().await.is_some());
    }
    {
        let receive = pin!(rig.lines.receive());
        assert!(at_once(receive).await.is_none(), "too many are owed");
    }
    rig.answer(0).await;
    assert!(rig.lines.receive().await.is_some());
}
