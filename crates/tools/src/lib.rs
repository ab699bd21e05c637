//! The operations of lispwright: functions from typed arguments to facts, or to a refusal.
//!
//! The MCP server and the command line are skins over this crate: they turn their own input into arguments, call the
//! operation, and let `lispwright-words` put the answer into words.
//!
//! Read [`tool`] (a tool as data), [`answer`] and `refusal.rs` (the results) and [`catalogue`](mod@catalogue) (all
//! tools, and how to add one) first. Each operation has a file with the name of its tool. [`facts`], `live_answer.rs`
//! and `live_fault.rs` have what several operations share; [`eval_answer`] divides the size of an answer among its
//! parts; [`image_text`] prevents that text of an image passes for ours. [`workspace`] opens files and finds their
//! languages, also for the commands and the hook; it is here because `lispwright-project` knows no Lisp. `arrival.rs`
//! keeps calls in the order in which they came, and `event.rs` is the interface of observers.
//!
//! **Invariant:** nothing here knows MCP or JSON-RPC, and nothing here writes files or starts processes by itself.

mod alone;
pub mod answer;
pub mod arguments;
mod arrival;
mod aside;
mod baseline;
pub mod by_hand;
pub mod catalogue;
pub mod changes;
pub mod code_changed;
pub mod code_describe;
pub mod code_exports;
pub mod code_find;
pub mod code_find_references;
pub mod code_live;
pub mod code_map;
mod codes;
mod confirm;
pub mod coverage_code;
pub mod docs_lookup;
pub mod drift;
pub mod eval_answer;
mod evaluated;
mod event;
pub mod facts;
pub mod formatting;
mod fresh;
pub mod fs_list_directory;
pub mod fs_project;
pub mod fs_read_file;
pub mod fs_write_file;
mod given;
pub mod guard;
pub mod image_text;
mod indexed;
pub mod inspect_object;
pub mod languages;
pub mod lint;
pub mod lint_table;
pub mod lisp_change_signature;
pub mod lisp_check_parens;
pub mod lisp_edit_batch;
pub mod lisp_edit_form;
pub mod lisp_patch_form;
pub mod lisp_read_file;
pub mod lisp_read_form;
pub mod lisp_rename;
pub mod lisp_rewrite;
pub mod lisp_search;
pub mod lisp_undo;
mod live_answer;
mod live_fault;
pub mod load_system;
pub mod macroexpand;
mod main_system;
mod mend;
mod news;
mod next_call;
pub mod object;
pub mod offers;
pub mod other_lisps;
mod premises;
pub mod probes;
pub mod problems;
pub(crate) mod references;
mod refusal;
mod rename_image;
mod renewal;
mod repl_action;
mod repl_attach;
pub mod repl_control;
pub mod repl_eval;
pub mod repl_held;
mod repl_session;
pub mod repl_status;
pub mod repl_wait;
pub mod repl_work;
pub mod run_tests;
mod runs_later;
pub mod several;
pub mod shown;
mod slot_references;
mod test_goals;
pub mod test_history;
mod test_omissions;
pub mod test_script;
pub mod test_several;
mod test_summary;
pub mod test_twins;
pub mod told;
pub mod tool;
pub mod unbound;
pub mod unused;
pub mod verify;
pub mod workshop;
pub mod workspace;

pub use alone::problems_alone;
pub use answer::{Answer, NotedAnswer, ProtocolAnswer, Reply};
pub use arrival::{Arrival, Arrivals};
pub use aside::Aside;
pub use catalogue::catalogue;
pub use code_live::Origin;
pub use confirm::Confirmations;
pub use event::{Event, Observer, SessionAct};
pub use live_answer::LiveAnswer;
pub use live_fault::LiveFault;
pub use main_system::LoadCandidate;
pub use news::News;
pub use next_call::NextCall;
pub use premises::Premises;
pub use refusal::Refusal;
pub use renewal::ImageLedger;
pub use repl_work::runtime_of_file;
pub use tool::{Annotations, CallContext, Schema, Tool, ToolSet};
pub use verify::TestMemory;
pub use workshop::Workshop;
pub use workspace::Workspace;
