//! How a procedure is declared, and the handle by which the rest of the program calls it.

use futures_util::future::LocalBoxFuture;
use schemars::SchemaGenerator;
use serde_json::Value;

use super::{Call, Group, Input, Needs, Output, Procedure, Run, check, read};
use crate::fault::Fault;

/// A declared procedure, with the types of its input and output.
///
/// The program calls procedures through these values, so that the compiler checks names, inputs and outputs.
#[derive(Debug)]
pub struct Handle<I: 'static, O: 'static> {
    /// Where it is mounted.
    pub group: Group,
    /// Its name within the group.
    pub name: &'static str,
    /// Who may call it.
    pub needs: Needs,
    /// Whether it changes nothing.
    pub reads: bool,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// Does it, for a caller who is admitted and an input that is checked.
    pub handler: fn(Call, I) -> LocalBoxFuture<'static, Result<O, Fault>>,
}

impl<I: Input, O: Output> Handle<I, O> {
    /// Calls it with the rights of the caller.
    ///
    /// # Errors
    /// What it refuses, as over HTTP.
    pub async fn call(&self, call: Call, input: I) -> Result<O, Fault> {
        self.needs.admit(&call.caller)?;
        check(&input)?;
        (self.handler)(call, input).await
    }

    /// Calls it with an input that came from outside of the program, such as the fields of a form.
    ///
    /// # Errors
    /// What is wrong with the input, and where; else what it refuses.
    pub async fn submit(&self, call: Call, input: &Value) -> Result<O, Fault> {
        self.needs.admit(&call.caller)?;
        (self.handler)(call, read(input)?).await
    }

    /// The same without its types, for those who treat all procedures alike.
    pub const fn erase(&'static self) -> Procedure {
        Procedure {
            router: self.group.router,
            group: self.group.path,
            name: self.name,
            tag: self.group.tag,
            needs: self.needs,
            reads: self.reads,
            summary: self.summary,
            input: SchemaGenerator::subschema_for::<I>,
            output: SchemaGenerator::subschema_for::<O>,
            check: |input| read::<I>(input).map(drop),
            run: self,
        }
    }
}

impl<I: Input, O: Output> Run for Handle<I, O> {
    fn run(&self, call: Call, input: Value) -> LocalBoxFuture<'static, Result<Value, Fault>> {
        let handler = self.handler;
        Box::pin(async move {
            let output = handler(call, read(&input)?).await?;
            serde_json::to_value(output).map_err(Fault::internal)
        })
    }
}

/// Declares the procedures of a group: a handle each, and `procedures()`, which lists them and those of modules below.
///
/// `LIST = "list", reads(LinkRead), list(ListBody) -> Vec<FolderOut>: "List folders";` is the handle `LIST` of the
/// procedure `list`, which changes nothing (`changes` for one that does), needs the permission `LinkRead` (or a
/// `Session`, or `Nothing`) and is done by the function `list`.
macro_rules! procedures {
    ($group:ident $(+ $below:ident)*; $(
        $handle:ident = $name:literal, $effect:ident($needs:ident), $handler:ident($input:ty) -> $output:ty: $summary:literal;
    )*) => {
        $(
            #[doc = $summary]
            pub static $handle: $crate::http::procedures::Handle<$input, $output> = $crate::http::procedures::Handle {
                group: $group,
                name: $name,
                needs: procedures!(@needs $needs),
                reads: procedures!(@reads $effect),
                summary: $summary,
                handler: |call, input| Box::pin($handler(call, input)),
            };
        )*

        pub(in crate::http::procedures) fn procedures() -> Vec<$crate::http::procedures::Procedure> {
            let own = vec![$($handle.erase()),*];
            [own $(, $below::procedures())*].concat()
        }
    };
    (@needs Session) => { $crate::http::procedures::Needs::Session };
    (@needs Nothing) => { $crate::http::procedures::Needs::Nothing };
    (@needs $permission:ident) => {
        $crate::http::procedures::Needs::Permission($crate::access::Permission::$permission)
    };
    (@reads reads) => { true };
    (@reads changes) => { false };
}
